package nonmaxsuppression

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

// problem is a layer with its inputs as numbers.
type problem struct {
	version             int
	boxes, scores       *ir.Tensor
	limit               int64
	iou, score, sigma   float64
	center, across, i32 bool
	without             int // the number of inputs left out at the end
}

func (p *problem) inputs(t testing.TB) []*ir.Tensor {
	scalar := func(v float64) *ir.Tensor { return layertest.Numbers(t, ir.F32, ir.Shape{}, v) }
	in := []*ir.Tensor{p.boxes, p.scores, layertest.Ints(t, ir.I64, ir.Shape{}, p.limit), scalar(p.iou), scalar(p.score)}
	if p.version >= 5 {
		in = append(in, scalar(p.sigma))
	}
	return in[:len(in)-p.without]
}

func (p *problem) attributes() layertest.Attributes {
	at := layertest.Attributes{"box_encoding", "corner", "sort_result_descending", fmt.Sprint(p.across)}
	if p.center {
		at[1] = "center"
	}
	if p.version >= 3 && p.i32 {
		at = append(at, "output_type", "i32")
	}
	return at
}

func (p *problem) run(t testing.TB, threads int) ([]*ir.Tensor, error) {
	outputs := 1
	if p.version >= 5 {
		outputs = 3
	}
	return layertest.RunOutputs(layertest.Find(t, Ops, p.version), p.attributes(), threads, outputs, p.inputs(t)...)
}

// row is a selected box.
type row struct {
	batch, class, box int64
	score             float64
}

func iouOf(a, b []float64, center bool) float64 {
	edges := func(v []float64) (x1, y1, x2, y2 float64) {
		if center {
			return v[0] - v[2]/2, v[1] - v[3]/2, v[0] + v[2]/2, v[1] + v[3]/2
		}
		return min(v[0], v[2]), min(v[1], v[3]), max(v[0], v[2]), max(v[1], v[3])
	}
	ax1, ay1, ax2, ay2 := edges(a)
	bx1, by1, bx2, by2 := edges(b)
	common := max(min(ax2, bx2)-max(ax1, bx1), 0) * max(min(ay2, by2)-max(ay1, by1), 0)
	return common / ((ax2-ax1)*(ay2-ay1) + (bx2-bx1)*(by2-by1) - common)
}

// reference follows the text of NonMaxSuppression-9 step by step: it takes the box with the highest
// score out of the list, and changes the scores of all others.
func (p *problem) reference(t testing.TB) []row {
	boxes, scores, shape := layertest.Floats(t, p.boxes), layertest.Floats(t, p.scores), p.scores.Shape()
	n, rows := shape[2], []row{}
	for batch := range shape[0] {
		for class := range shape[1] {
			left := slices.Clone(scores[(batch*shape[1]+class)*n:][:n])
			box := func(i int) []float64 { return boxes[4*(batch*n+i):][:4] }
			for range min(p.limit, int64(n)) {
				best := -1
				for i, s := range left {
					if s > float64(float32(p.score)) && (best < 0 || s > left[best]) {
						best = i
					}
				}
				if best < 0 {
					break
				}
				rows = append(rows, row{int64(batch), int64(class), int64(best), left[best]})
				left[best] = math.Inf(-1)
				for i := range left {
					iou := iouOf(box(i), box(best), p.center)
					switch {
					case p.sigma > 0 && iou > 0:
						left[i] *= math.Exp(-0.5 * iou * iou / p.sigma)
					case p.sigma <= 0 && iou >= float64(float32(p.iou)):
						left[i] = math.Inf(-1)
					}
				}
			}
		}
	}
	if p.across {
		slices.SortStableFunc(rows, func(a, b row) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.batch, b.batch), cmp.Compare(a.class, b.class), cmp.Compare(a.box, b.box))
		})
	}
	return rows
}

// check compares the outputs with the reference.
func (p *problem) check(t testing.TB, threads int) {
	t.Helper()
	out, err := p.run(t, threads)
	what := fmt.Sprintf("%+v", *p)
	require.NoError(t, err, what)
	want := p.reference(t)
	indices, err := out[0].Ints()
	require.NoError(t, err)
	if p.version >= 5 {
		require.Equal(t, ir.Shape{len(want), 3}, out[0].Shape(), what)
		require.Equal(t, ir.Shape{len(want), 3}, out[1].Shape(), what)
		valid, err := out[2].Ints()
		require.NoError(t, err)
		require.Equal(t, []int64{int64(len(want))}, valid, what)
	}
	for i := range out[0].Shape()[0] {
		got := indices[3*i : 3*i+3]
		if i >= len(want) {
			require.Equal(t, []int64{-1, -1, -1}, got, what)
			continue
		}
		require.Equal(t, []int64{want[i].batch, want[i].class, want[i].box}, got, "row %d of %s", i, what)
		if p.version >= 5 {
			scores := ir.Data[float32](out[1])[3*i : 3*i+3]
			require.Equal(t, []float32{float32(want[i].batch), float32(want[i].class)}, scores[:2])
			require.InDelta(t, want[i].score, scores[2], 1e-5, what)
		}
	}
}

// random returns a problem with boxes of whole coordinates. All scores differ if soft, because the
// products of the reference are rounded in another way.
func random(t testing.TB, rng *rand.Rand, soft bool, maxBoxes int) *problem {
	batches, classes, n := rng.IntN(3), rng.IntN(4), rng.IntN(maxBoxes)
	boxes, scores := make([]float64, batches*n*4), make([]float64, batches*classes*n)
	for i := range boxes {
		boxes[i] = float64(rng.IntN(24))
		if i%4 >= 2 {
			boxes[i] = boxes[i-2] + float64(1+rng.IntN(8))
		}
	}
	for i, v := range rng.Perm(len(scores)) {
		scores[i] = float64(v+1) / float64(len(scores)+1)
		if !soft {
			scores[i] = float64(rng.IntN(16)) / 16
		}
	}
	types := []ir.ElementType{ir.F32, ir.F16, ir.BF16, ir.F64}
	p := &problem{
		version: []int{1, 3, 4, 5, 9}[rng.IntN(5)], limit: int64(rng.IntN(6)), across: rng.IntN(2) == 0, i32: rng.IntN(2) == 0,
		center: rng.IntN(2) == 0, iou: []float64{0, 0.25, 0.5, 1}[rng.IntN(4)], score: []float64{0, 0.25, 0.9, -1}[rng.IntN(4)],
	}
	boxType, scoreType := types[rng.IntN(3)], types[rng.IntN(3)]
	if p.version < 5 {
		boxType, scoreType = types[rng.IntN(4)], types[rng.IntN(4)]
	}
	if rng.IntN(4) == 0 {
		p.limit = math.MaxInt64 >> rng.IntN(63)
	}
	if soft {
		p.version, p.sigma, boxType, scoreType = 5+4*rng.IntN(2), 0.1+rng.Float64(), ir.F32, ir.F32
	}
	p.boxes = layertest.Numbers(t, boxType, ir.Shape{batches, n, 4}, boxes...)
	p.scores = layertest.Numbers(t, scoreType, ir.Shape{batches, classes, n}, scores...)
	return p
}

func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		random(t, rng, i%3 == 0, 12).check(t, 1+i%3)
	}
}

// TestLarge has so many candidates that all ways to sort them and to find boxes close by are used.
func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 12 {
		p := random(t, rng, i%4 == 0, 600)
		p.limit = 250
		p.check(t, 1+i%3)
	}
}

func corners(t testing.TB, values ...float64) *ir.Tensor {
	return layertest.Numbers(t, ir.F32, ir.Shape{1, len(values) / 4, 4}, values...)
}

func scoresOf(t testing.TB, values ...float64) *ir.Tensor {
	return layertest.Numbers(t, ir.F32, ir.Shape{1, 1, len(values)}, values...)
}

// TestBorders has the values of OpenVINO, as far as it has defined ones.
func TestBorders(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	square := corners(t, 0, 0, 2, 2, 0, 0, 2, 1, 5, 5, 6, 6, 0, 0, 2, 2)
	scores := scoresOf(t, .9, .8, .7, .9)
	for name, c := range map[string]struct {
		p    problem
		want []int64 // the selected boxes
	}{
		"equal to iou_threshold":    {problem{boxes: square, scores: scores, limit: 10, iou: 0.5}, []int64{0, 2}},
		"iou_threshold 1":           {problem{boxes: square, scores: scores, limit: 10, iou: 1}, []int64{0, 1, 2}},
		"iou_threshold 2":           {problem{boxes: square, scores: scores, limit: 10, iou: 2}, []int64{0, 3, 1, 2}},
		"iou_threshold 0":           {problem{boxes: square, scores: scores, limit: 10}, []int64{0}},
		"iou_threshold below 0":     {problem{boxes: square, scores: scores, limit: 10, iou: -.5}, []int64{0}},
		"iou_threshold NaN":         {problem{boxes: square, scores: scores, limit: 10, iou: nan}, []int64{0, 3, 1, 2}},
		"equal to score_threshold":  {problem{boxes: square, scores: scores, limit: 10, iou: .5, score: .7}, []int64{0}},
		"score_threshold NaN":       {problem{boxes: square, scores: scores, limit: 10, iou: .5, score: nan}, nil},
		"score_threshold -Inf":      {problem{boxes: square, scores: scoresOf(t, -inf, .8, -.7, inf), limit: 10, iou: .5, score: -inf}, []int64{3, 2}},
		"scores NaN":                {problem{boxes: square, scores: scoresOf(t, nan, .8, -.7, nan), limit: 10, iou: .5, score: -1}, []int64{1, 2}},
		"limit 0":                   {problem{boxes: square, scores: scores, iou: .5}, nil},
		"no limit":                  {problem{boxes: square, scores: scores, without: 4}, nil},
		"no iou_threshold":          {problem{boxes: square, scores: scores, limit: 10, without: 3}, []int64{0}},
		"huge limit":                {problem{boxes: square, scores: scores, limit: math.MaxInt64, iou: .5}, []int64{0, 2}},
		"corners in any order":      {problem{boxes: corners(t, 2, 2, 0, 0, 0, 2, 2, 0, 2, 0, 0, 2), scores: scoresOf(t, .9, .8, .7), limit: 10, iou: .5}, []int64{0}},
		"negative sizes":            {problem{boxes: corners(t, 1, 1, -2, -2, 1, 1, 2, 2, 1, 1, 2, -2), scores: scoresOf(t, .9, .8, .7), limit: 10, iou: .5, center: true}, []int64{0, 1, 2}},
		"no area":                   {problem{boxes: corners(t, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 1), scores: scoresOf(t, .9, .8, .7), limit: 10, iou: .5}, []int64{0, 1, 2}},
		"no area, iou_threshold 0":  {problem{boxes: corners(t, 1, 1, 1, 1, 5, 5, 6, 6, 8, 8, 8, 8, 8, 8, 9, 9), scores: scoresOf(t, .9, .8, .7, .6), limit: 10}, []int64{0, 2}},
		"boxes with NaN":            {problem{boxes: corners(t, 0, 0, 2, 2, 0, nan, 2, 2, nan, 0, 2, 2, 0, 0, 2, nan), scores: scoresOf(t, .9, .8, .7, .6), limit: 10, iou: .5}, []int64{0, 1, 2, 3}},
		"infinite boxes":            {problem{boxes: corners(t, 0, 0, inf, 2, 0, 0, 2, 2, 0, 0, inf, 2), scores: scoresOf(t, .9, .8, .7), limit: 10, iou: .5}, []int64{0, 1, 2}},
		"soft, for all thresholds":  {problem{boxes: square, scores: scores, limit: 10, iou: .1, sigma: .5}, []int64{0, 2, 1, 3}},
		"soft, dropped by score":    {problem{boxes: square, scores: scores, limit: 10, iou: 1, score: .6, sigma: .5}, []int64{0, 2, 1}},
		"sigma below 0 is hard":     {problem{boxes: square, scores: scores, limit: 10, iou: .5, sigma: -.5}, []int64{0, 2}},
		"sigma NaN is hard":         {problem{boxes: square, scores: scores, limit: 10, iou: .5, sigma: nan}, []int64{0, 2}},
		"infinite sigma":            {problem{boxes: square, scores: scores, limit: 10, iou: .5, sigma: inf}, []int64{0, 3, 1, 2}},
		"soft, no area":             {problem{boxes: corners(t, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 1), scores: scoresOf(t, .9, .8, .7), limit: 10, sigma: .5}, []int64{0, 1, 2}},
		"soft, boxes with NaN":      {problem{boxes: corners(t, nan, 1, 1, 1, 0, 0, 2, 2, 1, 1, 3, 4), scores: scoresOf(t, .9, .8, .7), limit: 10, sigma: .5}, []int64{0, 1, 2}},
		"soft raises a score below": {problem{boxes: corners(t, 0, 0, 2, 2, 0, 0, 2, 2, 1, 1, 3, 4), scores: scoresOf(t, -.1, -.2, -.7), limit: 10, score: -1, sigma: .5}, []int64{1, 0, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			c.p.version, c.p.across = 9, true
			for threads := 1; threads <= 2; threads++ {
				out, err := c.p.run(t, threads)
				require.NoError(t, err)
				indices, err := out[0].Ints()
				require.NoError(t, err)
				var got []int64
				for i := range len(indices) / 3 {
					got = append(got, indices[3*i+2])
				}
				assert.Equal(t, c.want, got)
				assert.Equal(t, int64(len(c.want)), ir.Data[int64](out[2])[0])
			}
		})
	}
}

// TestFixedLength has versions whose output has a length that does not depend on the scores.
func TestFixedLength(t *testing.T) {
	boxes := layertest.Numbers(t, ir.F32, ir.Shape{2, 2, 4}, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 5, 5, 6, 6)
	scores := layertest.Numbers(t, ir.F32, ir.Shape{2, 1, 2}, .5, .4, .3, .6)
	for _, c := range []struct {
		version int
		limit   int64
		want    []int64
	}{
		{1, 2, []int64{1, 0, 1, 0, 0, 0}}, // the third box is left out
		{3, 1, []int64{1, 0, 1}},
		{4, 2, []int64{1, 0, 1, 0, 0, 0, 1, 0, 0, -1, -1, -1}},
		{4, 0, nil},
	} {
		p := problem{version: c.version, boxes: boxes, scores: scores, limit: c.limit, iou: .5, across: true}
		out, err := p.run(t, 1)
		require.NoError(t, err)
		assert.Equal(t, c.want, append([]int64(nil), ir.Data[int64](out[0])...), "version %d", c.version)
	}
}

func TestErrors(t *testing.T) {
	boxes, scores := corners(t, 0, 0, 1, 1), scoresOf(t, 1)
	for _, c := range []struct {
		version int
		inputs  []*ir.Tensor
		want    string
	}{
		{9, []*ir.Tensor{boxes, scores, layertest.Ints(t, ir.I64, ir.Shape{}, -1)}, "max_output_boxes_per_class is -1, expected 0 or more"},
		{1, []*ir.Tensor{boxes, scores, layertest.Ints(t, ir.I32, ir.Shape{}, -7)}, "max_output_boxes_per_class is -7, expected 0 or more"},
		{1, []*ir.Tensor{boxes, layertest.Ints(t, ir.I32, ir.Shape{1, 1, 1}, 1)}, "NonMaxSuppression-1 has no kernel for input 1 of type i32, only for [f32 f64 f16 bf16]"},
		{4, []*ir.Tensor{boxes, scores, layertest.Ints(t, ir.I32, ir.Shape{}, 1), layertest.Ints(t, ir.I32, ir.Shape{}, 1)}, "iou_threshold is i32, expected f32, f64, f16 or bf16"},
	} {
		_, err := layertest.Run(layertest.Find(t, Ops, c.version), nil, 1, c.inputs...)
		assert.EqualError(t, err, c.want)
	}
}

func TestAllocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, soft := range []bool{false, true} {
		for range 20 {
			p := random(t, rng, soft, 300)
			kernel, r, err := layertest.Prepare(layertest.Find(t, Ops, p.version), p.attributes(), 2, p.inputs(t)...)
			require.NoError(t, err)
			require.NoError(t, kernel(r))
			// the output of the previous run has the right shape
			r.Resize = func(int, ir.Shape) error { return nil }
			require.Zero(t, testing.AllocsPerRun(5, func() { err = kernel(r) }))
			require.NoError(t, err)
			r.Pool.Close()
		}
	}
}

// FuzzKernel has boxes and scores of any bits. It checks that the result is the same on two
// threads, and that it names boxes that exist.
func FuzzKernel(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint8(2), uint8(7), int64(5), float32(0.5), float32(0), float32(0), uint8(0))
	f.Add(uint64(2), uint8(1), uint8(1), uint8(40), int64(50), float32(0), float32(-1), float32(0.5), uint8(5))
	f.Fuzz(func(t *testing.T, seed uint64, batches, classes, n uint8, limit int64, iou, score, sigma float32, flags uint8) {
		rng := rand.New(rand.NewPCG(seed, 1))
		bits := func(shape ...int) *ir.Tensor {
			tensor, err := ir.NewTensor(ir.F32, shape...)
			require.NoError(t, err)
			for i := range ir.Data[float32](tensor) {
				if v := float32(rng.IntN(9)); rng.IntN(30) > 0 {
					ir.Data[float32](tensor)[i] = v
				} else {
					ir.Data[float32](tensor)[i] = math.Float32frombits(rng.Uint32())
				}
			}
			return tensor
		}
		p := problem{
			version: []int{1, 3, 4, 5, 9}[flags/4%5], limit: limit, iou: float64(iou), score: float64(score), sigma: float64(sigma),
			center: flags&1 > 0, across: flags&2 > 0,
		}
		shape := ir.Shape{int(batches % 4), int(classes % 5), int(n % 100)}
		p.boxes, p.scores = bits(shape[0], shape[2], 4), bits(shape...)
		one, err := p.run(t, 1)
		if err != nil {
			require.Less(t, limit, int64(0))
			return
		}
		two, err := p.run(t, 2)
		require.NoError(t, err)
		for i := range one {
			require.Equal(t, layertest.Elements(one[i]), layertest.Elements(two[i]))
		}
		for i, v := range ir.Data[int64](one[0]) {
			require.True(t, v >= -1 && v < int64(shape[i%3]), "%v", v)
		}
	})
}
