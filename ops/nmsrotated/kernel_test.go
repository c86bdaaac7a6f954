package nmsrotated

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// vertices returns the corners of a box in the order of their angles.
func vertices(b []float64, clockwise bool) []point {
	angle := b[4]
	if !clockwise {
		angle = -angle
	}
	var out []point
	for _, s := range [][2]float64{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}} {
		dx, dy := s[0]*b[2]/2, s[1]*b[3]/2
		out = append(out, point{b[0] + dx*math.Cos(angle) - dy*math.Sin(angle), b[1] + dx*math.Sin(angle) + dy*math.Cos(angle)})
	}
	return out
}

// reference follows the specification: it collects the points where sides cross and the corners of
// each box inside of the other one, and computes the area of the polygon of all of them.
func reference(a, b []float64, clockwise bool) float64 {
	p, q := vertices(a, clockwise), vertices(b, clockwise)
	var points []point
	for i := range 4 {
		for j := range 4 {
			p1, p2, q1, q2 := p[i], p[(i+1)%4], q[j], q[(j+1)%4]
			d := (p2.x-p1.x)*(q2.y-q1.y) - (p2.y-p1.y)*(q2.x-q1.x)
			if math.Abs(d) < 1e-12 {
				continue
			}
			s := ((q1.x-p1.x)*(q2.y-q1.y) - (q1.y-p1.y)*(q2.x-q1.x)) / d
			t := ((q1.x-p1.x)*(p2.y-p1.y) - (q1.y-p1.y)*(p2.x-p1.x)) / d
			if s >= 0 && s <= 1 && t >= 0 && t <= 1 {
				points = append(points, point{p1.x + s*(p2.x-p1.x), p1.y + s*(p2.y-p1.y)})
			}
		}
	}
	for _, pair := range [][2][]point{{p, q}, {q, p}} {
		for _, v := range pair[0] {
			inside := true
			for j, w := range pair[1] {
				next := pair[1][(j+1)%4]
				inside = inside && (next.x-w.x)*(v.y-w.y)-(next.y-w.y)*(v.x-w.x) >= -1e-12
			}
			if inside {
				points = append(points, v)
			}
		}
	}
	var middle point
	for _, v := range points {
		middle.x += v.x / float64(len(points))
		middle.y += v.y / float64(len(points))
	}
	slices.SortFunc(points, func(v, w point) int {
		return cmp.Compare(math.Atan2(v.y-middle.y, v.x-middle.x), math.Atan2(w.y-middle.y, w.x-middle.x))
	})
	common := 0.
	for i, v := range points {
		w := points[(i+1)%len(points)]
		common += (v.x*w.y - v.y*w.x) / 2
	}
	return common / (a[2]*a[3] + b[2]*b[3] - common)
}

func randomBox(rng *rand.Rand) []float64 {
	return []float64{8 * rng.Float64(), 8 * rng.Float64(), 0.5 + 5*rng.Float64(), 0.5 + 5*rng.Float64(), 14*rng.Float64() - 7}
}

func TestIoU(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		k := kernel[float32]{attributes: attributes{clockwise: rng.IntN(2) == 0}}
		a, b := randomBox(rng), randomBox(rng)
		if rng.IntN(4) == 0 { // sides on one line
			copy(b, a[:2+rng.IntN(3)])
			b[4] = a[4] + math.Pi/2*float64(rng.IntN(4))
		}
		x, y := k.rotate(a[0], a[1], a[2], a[3], a[4]), k.rotate(b[0], b[1], b[2], b[3], b[4])
		want := reference(a, b, k.clockwise)
		require.InDelta(t, want, x.iou(&y), 1e-6, "%v and %v", a, b)
		require.InDelta(t, want, y.iou(&x), 1e-6, "%v and %v", b, a)
	}
}

// problem is a layer with its inputs.
type problem struct {
	limit                 int64
	iou, score            float64
	descending, clockwise bool
	boxes, scores         *ir.Tensor
}

func random(t testing.TB, rng *rand.Rand, elementType ir.ElementType, maxBoxes int) *problem {
	p := &problem{
		limit: int64(rng.IntN(8)), iou: rng.Float64() / 2, score: []float64{0, 0.25, -1}[rng.IntN(3)],
		descending: rng.IntN(2) == 0, clockwise: rng.IntN(2) == 0,
	}
	batches, classes, n := rng.IntN(3), rng.IntN(4), rng.IntN(maxBoxes)
	boxes, scores := []float64{}, make([]float64, batches*classes*n)
	for range batches * n {
		boxes = append(boxes, randomBox(rng)...)
	}
	for i := range scores {
		scores[i] = float64(rng.IntN(16)) / 16 // with ties
	}
	p.boxes = layertest.Numbers(t, elementType, ir.Shape{batches, n, 5}, boxes...)
	p.scores = layertest.Numbers(t, elementType, ir.Shape{batches, classes, n}, scores...)
	return p
}

func (p *problem) run(t testing.TB, threads int) ([]*ir.Tensor, error) {
	return layertest.RunOutputs(&Ops[0], p.attributes(), threads, 3, p.inputs(t)...)
}

func (p *problem) attributes() layertest.Attributes {
	return layertest.Attributes{"sort_result_descending", fmt.Sprint(p.descending), "clockwise", fmt.Sprint(p.clockwise)}
}

func (p *problem) inputs(t testing.TB) []*ir.Tensor {
	scalar := func(v float64) *ir.Tensor { return layertest.Numbers(t, ir.F64, ir.Shape{}, v) }
	return []*ir.Tensor{p.boxes, p.scores, layertest.Ints(t, ir.I32, ir.Shape{}, p.limit), scalar(p.iou), scalar(p.score)}
}

// check compares the outputs with those of a suppression of all pairs.
func (p *problem) check(t testing.TB, threads int) {
	t.Helper()
	type row struct {
		at    [3]int64
		score float64
	}
	boxes, scores, shape := layertest.Floats(t, p.boxes), layertest.Floats(t, p.scores), p.scores.Shape()
	var want []row
	for batch := range shape[0] {
		for class := range shape[1] {
			order, kept := make([]int, shape[2]), []int{}
			for i := range order {
				order[i] = i
			}
			own := scores[(batch*shape[1]+class)*shape[2]:]
			slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(own[b], own[a]) })
			for _, i := range order {
				if own[i] <= p.score || int64(len(kept)) == p.limit {
					continue
				}
				if slices.ContainsFunc(kept, func(j int) bool {
					return reference(boxes[5*(batch*shape[2]+i):][:5], boxes[5*(batch*shape[2]+j):][:5], p.clockwise) > p.iou
				}) {
					continue
				}
				kept = append(kept, i)
				want = append(want, row{[3]int64{int64(batch), int64(class), int64(i)}, own[i]})
			}
		}
	}
	if p.descending {
		slices.SortStableFunc(want, func(a, b row) int { return cmp.Compare(b.score, a.score) })
	}
	out, err := p.run(t, threads)
	require.NoError(t, err)
	require.Equal(t, ir.Shape{len(want), 3}, out[0].Shape())
	require.Equal(t, []int64{int64(len(want))}, ir.Data[int64](out[2]))
	for i, w := range want {
		require.Equal(t, w.at[:], ir.Data[int64](out[0])[3*i:3*i+3], "row %d of %+v", i, *p)
		require.Equal(t, []float32{float32(w.at[0]), float32(w.at[1]), float32(w.score)}, ir.Data[float32](out[1])[3*i:3*i+3])
	}
}

func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 1000 {
		random(t, rng, Ops[0].Types[i%4], 12).check(t, 1+i%3)
	}
	for i := range 5 {
		p := random(t, rng, ir.F32, 150)
		p.limit = 100
		p.check(t, 1+i%3)
	}
}

// TestBorders has the values of OpenVINO.
func TestBorders(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		iou, score float64
		boxes      []float64
		want       int64 // the number of selected boxes of two
	}{
		"equal to iou_threshold":   {.5, 0, []float64{0, 0, 2, 2, 0, 0, 0, 2, 1, 0}, 2},
		"iou_threshold 1":          {1, 0, []float64{0, 0, 2, 2, 0.3, 0, 0, 2, 2, 0.3}, 2},
		"same":                     {.99, 0, []float64{0, 0, 2, 2, 0.3, 0, 0, 2, 2, 0.3}, 1},
		"a quarter turn":           {.99, 0, []float64{0, 0, 2, 2, 0.3, 0, 0, 2, 2, 0.3 + math.Pi/2}, 1},
		"no area":                  {0, 0, []float64{0, 0, 2, 2, 0, 0, 0, 0, 0, 0}, 2},
		"apart, iou_threshold 0":   {0, 0, []float64{0, 0, 2, 2, 0, 9, 9, 1, 1, 0}, 2},
		"apart, below 0":           {-.5, 0, []float64{0, 0, 2, 2, 0, 9, 9, 1, 1, 0}, 1},
		"a negative size":          {.5, 0, []float64{0, 0, -2, 2, 0, 0, 0, 2, 2, 0}, 2},
		"negative sizes":           {.5, 0, []float64{0, 0, -2, -2, 0, 0, 0, 2, 2, 0}, 1},
		"an angle of NaN":          {.5, 0, []float64{0, 0, 2, 2, nan, 0, 0, 2, 2, 0}, 2},
		"a center of NaN":          {.5, 0, []float64{0, 0, 2, 2, 0, 0, nan, 2, 2, 0}, 2},
		"an infinite size":         {.5, 0, []float64{0, 0, math.Inf(1), 2, 0, 0, 0, 2, 2, 0}, 2},
		"equal to score_threshold": {.5, .75, []float64{0, 0, 2, 2, 0, 9, 0, 2, 2, 0}, 1},
		"score_threshold NaN":      {.5, nan, []float64{0, 0, 2, 2, 0, 9, 0, 2, 2, 0}, 0},
	} {
		p := problem{limit: 10, iou: c.iou, score: c.score, clockwise: true, boxes: layertest.Numbers(t, ir.F32, ir.Shape{1, 2, 5}, c.boxes...),
			scores: layertest.Numbers(t, ir.F32, ir.Shape{1, 1, 2}, .875, .75)}
		out, err := p.run(t, 1)
		require.NoError(t, err)
		assert.Equal(t, c.want, ir.Data[int64](out[2])[0], name)
	}
}

func TestErrors(t *testing.T) {
	p := random(t, rand.New(rand.NewPCG(5, 6)), ir.F32, 5)
	p.limit = -1
	_, err := p.run(t, 1)
	assert.EqualError(t, err, "max_output_boxes_per_class is -1, expected 0 or more")
}

func TestAllocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range 20 {
		p := random(t, rng, Ops[0].Types[i%4], 100)
		kernel, r, err := layertest.Prepare(&Ops[0], p.attributes(), 2, p.inputs(t)...)
		require.NoError(t, err)
		require.NoError(t, kernel(r))
		// the output of the previous run has the right shape
		r.Resize = func(int, ir.Shape) error { return nil }
		require.Zero(t, testing.AllocsPerRun(5, func() { err = kernel(r) }))
		require.NoError(t, err)
		r.Pool.Close()
	}
}

// FuzzKernel has boxes of any bits. It checks that the polygon of an intersection never has too
// many corners, and that the result does not depend on the number of threads.
func FuzzKernel(f *testing.F) {
	f.Add(uint64(1), uint8(3))
	f.Add(uint64(2), uint8(100))
	f.Fuzz(func(t *testing.T, seed uint64, boxes uint8) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := random(t, rng, ir.F32, 1+int(boxes%60))
		for i := range ir.Data[float32](p.boxes) {
			if rng.IntN(20) == 0 {
				ir.Data[float32](p.boxes)[i] = math.Float32frombits(rng.Uint32())
			}
		}
		one, err := p.run(t, 1)
		require.NoError(t, err)
		two, err := p.run(t, 2)
		require.NoError(t, err)
		for i := range one {
			require.Equal(t, layertest.Elements(one[i]), layertest.Elements(two[i]))
		}
	})
}
