package matrixnms

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

// problem is a layer with its inputs.
type problem struct {
	nmsTopK, keepTopK, background int
	sort                          string
	across, normalized, gaussian  bool
	score, post, sigma            float64
	boxes, scores                 *ir.Tensor
}

func random(t testing.TB, rng *rand.Rand, elementType ir.ElementType, maxBoxes int) *problem {
	p := &problem{
		nmsTopK: []int{-1, 0, 3, 50}[rng.IntN(4)], keepTopK: []int{-1, 0, 2, 30}[rng.IntN(4)], background: rng.IntN(3) - 1,
		sort: []string{"none", "score", "classid"}[rng.IntN(3)], across: rng.IntN(2) == 0, normalized: rng.IntN(2) == 0, gaussian: rng.IntN(2) == 0,
		score: []float64{0, 0.25, 0.5}[rng.IntN(3)], post: []float64{-1, 0.0625, 0.25}[rng.IntN(3)], sigma: []float64{2, 0.5, -0.5}[rng.IntN(3)],
	}
	images, classes, n := 1+rng.IntN(3), 1+rng.IntN(4), 1+rng.IntN(maxBoxes)
	boxes, scores := make([]float64, images*n*4), make([]float64, images*classes*n)
	for i := range boxes {
		if boxes[i] = float64(rng.IntN(24)) / 2; i%4 >= 2 {
			boxes[i] = boxes[i-2] + float64(1+rng.IntN(10))/2
		}
	}
	for i, v := range rng.Perm(len(scores)) {
		scores[i] = float64(v+1) / float64(len(scores)+2)
	}
	p.boxes, p.scores = layertest.Numbers(t, elementType, ir.Shape{images, n, 4}, boxes...), layertest.Numbers(t, elementType, ir.Shape{images, classes, n}, scores...)
	return p
}

func (p *problem) attributes() layertest.Attributes {
	function := "linear"
	if p.gaussian {
		function = "gaussian"
	}
	return layertest.Attributes{
		"nms_top_k", fmt.Sprint(p.nmsTopK), "keep_top_k", fmt.Sprint(p.keepTopK), "background_class", fmt.Sprint(p.background), "sort_result_type", p.sort,
		"sort_result_across_batch", fmt.Sprint(p.across), "normalized", fmt.Sprint(p.normalized), "decay_function", function,
		"score_threshold", fmt.Sprint(p.score), "post_threshold", fmt.Sprint(p.post), "gaussian_sigma", fmt.Sprint(p.sigma),
	}
}

// found is a box of an image.
type found struct {
	image, class, index int
	score               float64
	corners             []float64
}

func (p *problem) overlap(a, b []float64) float64 {
	extra := 1.
	if p.normalized {
		extra = 0
	}
	w, h := min(a[2], b[2])-max(a[0], b[0]), min(a[3], b[3])-max(a[1], b[1])
	if w < 0 || h < 0 {
		return 0
	}
	common := (w + extra) * (h + extra)
	return common / ((a[2]-a[0]+extra)*(a[3]-a[1]+extra) + (b[2]-b[0]+extra)*(b[3]-b[1]+extra) - common)
}

// decayed returns the boxes of a class with their new scores. It computes the matrices of the
// specification.
func (p *problem) decayed(list []found) []found {
	n := len(list)
	x, greatest := make([][]float64, n), make([]float64, n)
	for i := range x {
		x[i] = make([]float64, n)
	}
	for column := range n {
		for row := range column {
			x[row][column] = p.overlap(list[row].corners, list[column].corners)
			greatest[column] = max(greatest[column], x[row][column])
		}
	}
	out := slices.Clone(list)
	for column := range n {
		lowest := 1.
		for row := range column {
			factor := (1 - x[row][column]) / (1 - greatest[row])
			if p.gaussian {
				factor = math.Exp((greatest[row]*greatest[row] - x[row][column]*x[row][column]) * p.sigma)
			}
			if factor < lowest { // not if it is 0 / 0
				lowest = factor
			}
		}
		out[column].score *= lowest
	}
	return out
}

func (p *problem) reference(t testing.TB) ([]found, []int64) {
	boxes, scores, shape := layertest.Floats(t, p.boxes), layertest.Floats(t, p.scores), p.scores.Shape()
	images, classes, n := shape[0], shape[1], shape[2]
	var all []found
	counts := make([]int64, images)
	byScore := func(a, b found) int { return cmp.Compare(b.score, a.score) }
	for image := range images {
		var own []found
		for class := range classes {
			var list []found
			for box := range n {
				f := found{image, class, image*n + box, scores[(image*classes+class)*n+box], boxes[4*(image*n+box):][:4]}
				if class != p.background && f.score > p.score {
					list = append(list, f)
				}
			}
			slices.SortStableFunc(list, byScore)
			if p.nmsTopK >= 0 {
				list = list[:min(len(list), p.nmsTopK)]
			}
			own = append(own, slices.DeleteFunc(p.decayed(list), func(f found) bool { return f.score <= p.post })...)
		}
		slices.SortStableFunc(own, byScore)
		if p.keepTopK >= 0 {
			own = own[:min(len(own), p.keepTopK)]
		}
		counts[image] = int64(len(own))
		all = append(all, own...)
	}
	switch {
	case p.across && p.sort == "score":
		slices.SortStableFunc(all, byScore)
	case p.across && p.sort == "classid":
		slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(a.class, b.class) })
	}
	return all, counts
}

// check compares the outputs with the reference. It skips layers with scores so close that rounding
// decides.
func (p *problem) check(t testing.TB, threads int) {
	t.Helper()
	want, counts := p.reference(t)
	all := *p
	all.post, all.keepTopK = -1, -1
	every, _ := all.reference(t)
	scores := []float64{p.post}
	for _, f := range every {
		scores = append(scores, f.score)
	}
	slices.Sort(scores)
	for i, s := range scores[1:] {
		if s-scores[i] < 1e-6 {
			return
		}
	}
	out, err := layertest.RunOutputs(&Ops[0], p.attributes(), threads, 3, p.boxes, p.scores)
	require.NoError(t, err)
	what := fmt.Sprintf("%+v", *p)
	rows, indices := []float64{}, []int64{}
	for _, f := range want {
		rows = append(append(rows, float64(f.class), f.score), f.corners...)
		indices = append(indices, int64(f.index))
	}
	require.Equal(t, ir.Shape{len(want), 6}, out[0].Shape(), what)
	layertest.Near(t, rows, out[0], map[ir.ElementType]float64{ir.F32: 1e-5, ir.F16: 1e-2, ir.BF16: 1e-1}[p.boxes.ElementType()], "%s", what)
	require.Equal(t, indices, append([]int64{}, ir.Data[int64](out[1])...), what)
	require.Equal(t, counts, ir.Data[int64](out[2]), what)
}

func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		random(t, rng, types[i%3], 10).check(t, 1+i%3)
	}
}

func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 20 {
		random(t, rng, ir.F32, 200).check(t, 1+i%3)
	}
}

// TestBorders has the values of OpenVINO, except for NaN scores, which it keeps.
func TestBorders(t *testing.T) {
	nan := math.NaN()
	squares := []float64{0, 0, 2, 2, 0, 0, 2, 1, 5, 5, 6, 6, 0, 0, 2, 2}
	for name, c := range map[string]struct {
		p             problem
		boxes, scores []float64
		indices       []int64
		want          []float64
	}{
		"linear":         {problem{normalized: true, sort: "score"}, squares, []float64{.9, .8, .7, .9}, []int64{0, 2, 1}, []float64{.9, .7, .4}},
		"gaussian":       {problem{normalized: true, gaussian: true, sort: "score"}, squares, []float64{.9, .8, .7, .9}, []int64{0, 2, 1, 3}, []float64{.9, .7, .485224545, .12180175}},
		"post_threshold": {problem{normalized: true, post: .45, sort: "none"}, squares, []float64{.9, .8, .7, .9}, []int64{0, 2}, []float64{.9, .7}},
		"scores NaN":     {problem{normalized: true, sort: "score"}, squares, []float64{nan, .8, .7, .9}, []int64{3, 2, 1}, []float64{.9, .7, .4}},
		"pixels apart":   {problem{sort: "score"}, []float64{0, 0, 1, 1, 1.5, 0, 3, 1, 1, 0, 2, 1}, []float64{.9, .8, .7}, []int64{0, 1, 2}, []float64{.9, .8, .35}},
		"no area":        {problem{normalized: true, sort: "score"}, []float64{1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 2, 2}, []float64{.9, .8, .7}, []int64{0, 1, 2}, []float64{.9, .8, .7}},
		"boxes NaN":      {problem{normalized: true, sort: "score"}, []float64{nan, 0, 2, 2, 0, 0, 2, 2, 0, nan, 2, 2}, []float64{.9, .8, .7}, []int64{0, 1, 2}, []float64{.9, .8, .7}},
	} {
		n := len(c.scores)
		c.p.nmsTopK, c.p.keepTopK, c.p.background, c.p.sigma = -1, -1, -1, 2
		out, err := layertest.RunOutputs(&Ops[0], c.p.attributes(), 1, 3,
			layertest.Numbers(t, ir.F32, ir.Shape{1, n, 4}, c.boxes...), layertest.Numbers(t, ir.F32, ir.Shape{1, 1, n}, c.scores...))
		require.NoError(t, err)
		assert.Equal(t, c.indices, ir.Data[int64](out[1]), name)
		for i, want := range c.want {
			assert.InDelta(t, want, ir.Data[float32](out[0])[6*i+1], 1e-5, name)
		}
	}
}

func TestAllocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range 30 {
		p := random(t, rng, types[i%3], 100)
		kernel, r, err := layertest.Prepare(&Ops[0], p.attributes(), 2, p.boxes, p.scores)
		require.NoError(t, err)
		require.NoError(t, kernel(r))
		// the output of the previous run has the right shape
		r.Resize = func(int, ir.Shape) error { return nil }
		require.Zero(t, testing.AllocsPerRun(5, func() { err = kernel(r) }))
		require.NoError(t, err)
		r.Pool.Close()
	}
}

// FuzzKernel compares random layers with the reference.
func FuzzKernel(f *testing.F) {
	f.Add(uint64(1), uint8(3))
	f.Add(uint64(2), uint8(100))
	f.Fuzz(func(t *testing.T, seed uint64, boxes uint8) {
		random(t, rand.New(rand.NewPCG(seed, 1)), ir.F32, 1+int(boxes%120)).check(t, 1+int(seed%2))
	})
}
