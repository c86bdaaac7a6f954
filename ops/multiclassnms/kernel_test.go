package multiclassnms

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
	across, normalized            bool
	iou, score, eta               float64
	boxes, scores                 *ir.Tensor
	roisnum                       []int64 // nil if all classes share boxes
}

func random(t testing.TB, rng *rand.Rand, elementType ir.ElementType, maxBoxes int) *problem {
	p := &problem{
		nmsTopK: []int{-1, 0, 3, 50}[rng.IntN(4)], keepTopK: []int{-1, 0, 2, 30}[rng.IntN(4)], background: rng.IntN(3) - 1,
		sort: []string{"none", "score", "classid"}[rng.IntN(3)], across: rng.IntN(2) == 0, normalized: rng.IntN(2) == 0,
		iou: []float64{0.25, 0.5, 0.75, 1}[rng.IntN(4)], score: []float64{0, 0.25, 0.5}[rng.IntN(3)], eta: []float64{1, 0.5, 0.75}[rng.IntN(3)],
	}
	images, classes, n := 1+rng.IntN(3), 1+rng.IntN(4), rng.IntN(maxBoxes)
	lists, shape := images, ir.Shape{images, classes, n}
	if rng.IntN(2) == 0 {
		p.roisnum, lists, shape = make([]int64, images), classes, ir.Shape{classes, n}
		for i, left := 0, n; i < images; i++ {
			p.roisnum[i] = int64(rng.IntN(left + 1))
			left -= int(p.roisnum[i])
		}
	}
	boxes, scores := make([]float64, lists*n*4), make([]float64, shape.Elements())
	for i := range boxes {
		if boxes[i] = float64(rng.IntN(12)); i%4 >= 2 {
			boxes[i] = boxes[i-2] + float64(rng.IntN(6))
		}
	}
	for i := range scores {
		scores[i] = float64(rng.IntN(16)) / 16 // with ties
	}
	p.boxes, p.scores = layertest.Numbers(t, elementType, ir.Shape{lists, n, 4}, boxes...), layertest.Numbers(t, elementType, shape, scores...)
	return p
}

func (p *problem) attributes() layertest.Attributes {
	return layertest.Attributes{
		"nms_top_k", fmt.Sprint(p.nmsTopK), "keep_top_k", fmt.Sprint(p.keepTopK), "background_class", fmt.Sprint(p.background), "sort_result_type", p.sort,
		"sort_result_across_batch", fmt.Sprint(p.across), "normalized", fmt.Sprint(p.normalized), "iou_threshold", fmt.Sprint(p.iou),
		"score_threshold", fmt.Sprint(p.score), "nms_eta", fmt.Sprint(p.eta),
	}
}

func (p *problem) inputs(t testing.TB) []*ir.Tensor {
	if p.roisnum == nil {
		return []*ir.Tensor{p.boxes, p.scores}
	}
	return []*ir.Tensor{p.boxes, p.scores, layertest.Ints(t, ir.I64, ir.Shape{len(p.roisnum)}, p.roisnum...)}
}

// found is a box of an image.
type found struct {
	image, class, box, index int
	score                    float64
	corners                  []float64
}

func (p *problem) overlap(a, b []float64) float64 {
	extra := 1.
	if p.normalized {
		extra = 0
	}
	w, h := min(a[2], b[2])-max(a[0], b[0])+extra, min(a[3], b[3])-max(a[1], b[1])+extra
	common := max(w, 0) * max(h, 0)
	if common == 0 {
		return 0
	}
	return common / ((a[2]-a[0]+extra)*(a[3]-a[1]+extra) + (b[2]-b[0]+extra)*(b[3]-b[1]+extra) - common)
}

// list returns the boxes of a class of an image.
func (p *problem) list(t testing.TB, image, class int) []found {
	boxes, scores := layertest.Floats(t, p.boxes), layertest.Floats(t, p.scores)
	n := p.boxes.Shape()[1]
	first, count := image*n, n
	scores = scores[min(len(scores), (image*p.scores.Shape()[1]+class)*n):]
	if p.roisnum != nil {
		start := 0
		for _, v := range p.roisnum[:image] {
			start += int(v)
		}
		first, count = class*n+start, int(p.roisnum[image])
		scores = layertest.Floats(t, p.scores)[first:]
	}
	var list []found
	for i := range count {
		index := first + i
		if p.roisnum != nil {
			index = (first-class*n+i)*p.scores.Shape()[0] + class
		}
		list = append(list, found{image, class, i, index, scores[i], boxes[4*(first+i):][:4]})
	}
	return list
}

// reference follows the text of the specification.
func (p *problem) reference(t testing.TB) ([]found, []int64) {
	images, classes := p.boxes.Shape()[0], p.scores.Shape()[len(p.scores.Shape())-2]
	if p.roisnum != nil {
		images = len(p.roisnum)
	}
	var all []found
	counts := make([]int64, images)
	for image := range images {
		var own []found
		for class := range classes {
			if class == p.background {
				continue
			}
			list := slices.DeleteFunc(p.list(t, image, class), func(f found) bool { return f.score < p.score })
			slices.SortStableFunc(list, func(a, b found) int { return cmp.Compare(b.score, a.score) })
			if p.nmsTopK >= 0 {
				list = list[:min(len(list), p.nmsTopK)]
			}
			var selected []found
			threshold := p.iou
			for _, f := range list {
				if slices.ContainsFunc(selected, func(s found) bool { return p.overlap(s.corners, f.corners) >= threshold }) {
					continue
				}
				selected = append(selected, f)
				if p.eta < 1 && threshold > 0.5 {
					threshold *= p.eta
				}
			}
			own = append(own, selected...)
		}
		slices.SortStableFunc(own, func(a, b found) int { return cmp.Compare(b.score, a.score) })
		if p.keepTopK >= 0 {
			own = own[:min(len(own), p.keepTopK)]
		}
		if p.sort == "classid" {
			slices.SortStableFunc(own, func(a, b found) int { return cmp.Compare(a.class, b.class) })
		}
		counts[image] = int64(len(own))
		all = append(all, own...)
	}
	switch {
	case p.across && p.sort == "score":
		slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(b.score, a.score) })
	case p.across && p.sort == "classid":
		slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(a.class, b.class) })
	}
	return all, counts
}

func (p *problem) check(t testing.TB, version, threads int) {
	t.Helper()
	out, err := layertest.RunOutputs(layertest.Find(t, Ops, version), p.attributes(), threads, 3, p.inputs(t)...)
	require.NoError(t, err)
	want, counts := p.reference(t)
	what := fmt.Sprintf("%+v", *p)
	var rows []float64
	var indices []int64
	for _, f := range want {
		rows = append(append(rows, float64(f.class), f.score), f.corners...)
		indices = append(indices, int64(f.index))
	}
	require.Equal(t, ir.Shape{len(want), 6}, out[0].Shape(), what)
	require.Equal(t, ir.Shape{len(want), 1}, out[1].Shape(), what)
	require.Equal(t, rows, append([]float64(nil), layertest.Floats(t, out[0])...), what)
	require.Equal(t, indices, append([]int64(nil), ir.Data[int64](out[1])...), what)
	require.Equal(t, counts, ir.Data[int64](out[2]), what)
}

func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		p := random(t, rng, types[i%3], 12)
		version := 9
		if p.roisnum == nil {
			version -= i % 2
		}
		p.check(t, version, 1+i%3)
	}
}

func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 20 {
		random(t, rng, ir.F32, 400).check(t, 9, 1+i%3)
	}
}

// TestBorders has NaN and infinite numbers, boxes without area, and a threshold of 0, which every
// box reaches.
func TestBorders(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		iou           float64
		boxes, scores []float64
		want          []int64
	}{
		"scores NaN":   {0.5, []float64{0, 0, 1, 1, 2, 2, 3, 3}, []float64{nan, 0.5}, []int64{1}},
		"infinite":     {0.5, []float64{0, 0, 1, 1, 2, 2, 3, 3}, []float64{-inf, inf}, []int64{1}},
		"boxes NaN":    {0.5, []float64{nan, 0, 1, 1, 0, 0, 1, nan, 0, 0, 1, 1}, []float64{.9, .8, .7}, []int64{0, 1, 2}},
		"no area":      {0.5, []float64{1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 2, 2}, []float64{.9, .8, .7}, []int64{0, 1, 2}},
		"threshold 0":  {0, []float64{1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 2, 2}, []float64{.9, .8, .7}, []int64{0}},
		"equal to iou": {0.5, []float64{0, 0, 2, 2, 0, 0, 2, 1}, []float64{.9, .8}, []int64{0}},
	} {
		n := len(c.scores)
		p := problem{nmsTopK: -1, keepTopK: -1, background: -1, sort: "score", normalized: true, iou: c.iou, eta: 1,
			boxes: layertest.Numbers(t, ir.F32, ir.Shape{1, n, 4}, c.boxes...), scores: layertest.Numbers(t, ir.F32, ir.Shape{1, 1, n}, c.scores...)}
		out, err := layertest.RunOutputs(&Ops[0], p.attributes(), 1, 3, p.inputs(t)...)
		require.NoError(t, err)
		assert.Equal(t, c.want, ir.Data[int64](out[1]), name)
	}
}

func TestErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		roisnum []int64
		want    string
	}{
		{[]int64{2, -1}, "roisnum[1] is -1, expected 0 to 3, the boxes that the images before leave"},
		{[]int64{2, 4}, "roisnum[1] is 4, expected 0 to 3, the boxes that the images before leave"},
		{[]int64{math.MaxInt64, math.MaxInt64}, "roisnum[0] is 9223372036854775807, expected 0 to 5, the boxes that the images before leave"},
	} {
		p := random(t, rng, ir.F32, 2)
		p.boxes, p.scores = layertest.Counted(t, ir.F32, 2, 5, 4), layertest.Counted(t, ir.F32, 2, 5)
		p.roisnum = c.roisnum
		_, err := layertest.RunOutputs(&Ops[1], p.attributes(), 1, 3, p.inputs(t)...)
		assert.EqualError(t, err, c.want)
	}
}

func TestAllocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range 30 {
		p := random(t, rng, types[i%3], 200)
		kernel, r, err := layertest.Prepare(&Ops[1], p.attributes(), 2, p.inputs(t)...)
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
	f.Add(uint64(2), uint8(200))
	f.Fuzz(func(t *testing.T, seed uint64, boxes uint8) {
		random(t, rand.New(rand.NewPCG(seed, 1)), ir.F32, 1+int(boxes)).check(t, 9, 1+int(seed%2))
	})
}
