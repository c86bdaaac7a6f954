package generateproposals

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
	"github.com/vinoir/vinoir/ops/internal/floats"
)

type region struct {
	x1, y1, x2, y2, score float64
}

func (a *region) overlap(b *region, extent float64) float64 {
	if a.x1 > b.x2 || b.x1 > a.x2 || a.y1 > b.y2 || b.y1 > a.y2 {
		return 0
	}
	w, h := math.Min(a.x2, b.x2)-math.Max(a.x1, b.x1)+extent, math.Min(a.y2, b.y2)-math.Max(a.y1, b.y1)+extent
	area := func(r *region) float64 { return (r.x2 - r.x1 + extent) * (r.y2 - r.y1 + extent) }
	return w * h / (area(a) + area(b) - w*h)
}

// reference returns the regions of an image of shape [anchors,height,width].
func reference(shape ir.Shape, info, anchors, deltas, scores []float64, at *attributes) []region {
	count, height, width := shape[0], shape[1], shape[2]
	extent := 1.0
	if at.normalized {
		extent = 0
	}
	var all []region
	for y := range height {
		for x := range width {
			for a := range count {
				box := anchors[((y*width+x)*count+a)*4:][:4]
				delta := func(k int) float64 { return deltas[((a*4+k)*height+y)*width+x] }
				side := func(lo, hi, move, stretch, limit float64) (float64, float64) {
					size := hi - lo + extent
					centre := lo + size/2 + move*size
					size *= math.Exp(math.Min(stretch, math.Log(62.5)))
					return math.Max(0, math.Min(centre-size/2, limit-extent)), math.Max(0, math.Min(centre+size/2-extent, limit-extent))
				}
				r := region{score: scores[(a*height+y)*width+x]}
				r.x1, r.x2 = side(box[0], box[2], delta(0), delta(2), info[1])
				r.y1, r.y2 = side(box[1], box[3], delta(1), delta(3), info[0])
				all = append(all, r)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b region) int { return cmp.Compare(b.score, a.score) })
	scaleY, scaleX := info[2], info[len(info)-1]
	var picked []region
	for _, r := range all[:min(len(all), int(at.preNMSCount))] {
		keep := len(picked) < int(at.postNMSCount) && r.x2-r.x1+extent >= at.minSize*scaleX && r.y2-r.y1+extent >= at.minSize*scaleY
		for i := range picked {
			// which is NaN for points
			keep = keep && !(r.overlap(&picked[i], extent) > at.nmsThreshold)
		}
		if keep {
			picked = append(picked, r)
		}
	}
	return picked
}

func TestKernelAgainstReference(t *testing.T) {
	layertest.CheckSeeds(t, 100, func(t *testing.T, seed uint64) { checkTypes(t, seed, floats.Types...) })
}

// FuzzKernel computes float64, like the reference: other types round the overlap of some boxes to
// the other side of the threshold.
func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkTypes(t, seed, ir.F64) })
}

func checkTypes(t *testing.T, seed uint64, types ...ir.ElementType) {
	rng := rand.New(rand.NewPCG(seed, 2))
	compare(t, rng, rng.IntN(3), ir.Shape{rng.IntN(4), rng.IntN(5), rng.IntN(5)}, types...)
}

var tolerances = map[ir.ElementType]float64{ir.F64: 1e-9, ir.F32: 1e-4, ir.F16: 0.05, ir.BF16: 0.5}

func compare(t *testing.T, rng *rand.Rand, images int, shape ir.Shape, types ...ir.ElementType) {
	at := attributes{
		preNMSCount: 1 + rng.Int64N(30), postNMSCount: 1 + rng.Int64N(9), minSize: float64(rng.IntN(8)),
		nmsThreshold: float64(float32([]float64{0.613, 0.117, 0}[rng.IntN(3)])), normalized: rng.IntN(2) == 0,
	}
	roiNumType := []string{"i32", "i64"}[rng.IntN(2)]
	values := 3 + rng.IntN(2)
	n := shape.Elements()
	var anchors, info []float64
	for range n {
		x, y := float64(rng.IntN(40)), float64(rng.IntN(40))
		anchors = append(anchors, x, y, x+float64(rng.IntN(30)), y+float64(rng.IntN(30)))
	}
	for range images {
		info = append(info, append([]float64{40, 48}, []float64{1, 0.5}[:values-2]...)...)
	}
	deltas, scores := layertest.RandomNumbers(rng, 8, 0.0625, 4*images*n), make([]float64, images*n)
	for i := range scores {
		scores[i] = float64(rng.IntN(64)) / 64
	}
	var rois, roiScores, counts []float64
	for i := range images {
		found := reference(shape, info[i*values:][:values], anchors, deltas[4*i*n:][:4*n], scores[i*n:][:n], &at)
		counts = append(counts, float64(len(found)))
		for _, r := range found {
			rois, roiScores = append(rois, r.x1, r.y1, r.x2, r.y2), append(roiScores, r.score)
		}
	}
	for _, elementType := range types {
		number := func(values []float64, shape ...int) *ir.Tensor {
			return layertest.Numbers(t, elementType, shape, values...)
		}
		for threads := 1; threads <= 2; threads++ {
			got, err := layertest.RunOutputs(&Ops[0], attributesOf(&at, roiNumType), threads, 3,
				number(info, images, values), number(anchors, shape[1], shape[2], shape[0], 4),
				number(deltas, images, 4*shape[0], shape[1], shape[2]), number(scores, images, shape[0], shape[1], shape[2]))
			require.NoError(t, err)
			what := fmt.Sprintf("%v %v %v %+v", elementType, images, shape, at)
			layertest.Near(t, counts, got[2], 0, "counts of %s", what)
			require.Equal(t, ir.Shape{len(roiScores), 4}, got[0].Shape(), what)
			layertest.Near(t, roiScores, got[1], 0, "scores of %s", what)
			layertest.Near(t, rois, got[0], tolerances[elementType], "regions of %s", what)
		}
	}
}

func attributesOf(at *attributes, roiNumType string) layertest.Attributes {
	return layertest.Attributes{
		"pre_nms_count", fmt.Sprint(at.preNMSCount), "post_nms_count", fmt.Sprint(at.postNMSCount), "min_size", fmt.Sprint(at.minSize),
		"nms_threshold", fmt.Sprint(at.nmsThreshold), "normalized", fmt.Sprint(at.normalized), "roi_num_type", roiNumType,
	}
}

// TestLarge has enough boxes to sort them by digits, and several images.
func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	compare(t, rng, 3, ir.Shape{3, 23, 19}, ir.F32, ir.F64)
}

// TestBorders has results of OpenVINO.
func TestBorders(t *testing.T) {
	nan := math.NaN()
	plain := []float64{0, 0, 4, 4, 0.5, 0, 4.5, 4, 6, 6, 6, 6}
	info := []float64{10, 10, 1}
	none := make([]float64, 12)
	deltas := func(k int, v float64) []float64 {
		d := make([]float64, 12)
		for i := range 3 {
			d[3*k+i] = v
		}
		return d
	}
	for _, c := range []struct {
		name                          string
		at                            layertest.Attributes
		info, anchors, deltas, scores []float64
		rois, want                    []float64
	}{
		{"equal scores", nil, info, plain, none, []float64{0.5, 0.5, 0}, []float64{0, 0, 4, 4, 6, 6, 6, 6}, []float64{0.5, 0}},
		{"pixels", layertest.Attributes{"normalized", "false"}, info, plain, none, []float64{0.5, 0.5, 0}, []float64{0, 0, 4, 4, 6, 6, 6, 6}, []float64{0.5, 0}},
		{"min_size", layertest.Attributes{"min_size", "1"}, info, plain, none, []float64{0.5, 0.5, 0}, []float64{0, 0, 4, 4}, []float64{0.5}},
		{"negative threshold", layertest.Attributes{"nms_threshold", "-1"}, info, plain, none, []float64{0.5, 0.5, 0}, []float64{0, 0, 4, 4}, []float64{0.5}},
		{"large delta", nil, info, plain, deltas(2, 100), []float64{0.5, 0.1, 0.3}, []float64{0, 0, 10, 4, 6, 6, 6, 6}, []float64{0.5, 0.3}},
		{"delta NaN", nil, info, plain, deltas(0, nan), []float64{0.5, 0.1, 0.3}, []float64{0, 0, 0, 4, 0, 6, 0, 6, 0, 0, 0, 4}, []float64{0.5, 0.3, 0.1}},
		{"no height", nil, []float64{0, 10, 1}, plain, none, []float64{0.5, 0.1, 0.3}, []float64{0, 0, 4, 0, 6, 0, 6, 0, 0.5, 0, 4.5, 0}, []float64{0.5, 0.3, 0.1}},
		{"pixels apart", layertest.Attributes{"normalized", "false"}, info, []float64{0, 0, 0, 0, 0.1, 0.1, 0.1, 0.1, 6, 6, 6, 6}, none, []float64{0.5, 0.5, 0},
			[]float64{0, 0, 0, 0, 0.1, 0.1, 0.1, 0.1, 6, 6, 6, 6}, []float64{0.5, 0.5, 0}},
		{"score NaN", nil, info, plain, none, []float64{nan, 0.1, 0.3}, []float64{6, 6, 6, 6, 0.5, 0, 4.5, 4}, []float64{0.3, 0.1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := layertest.Attributes{"min_size", "0", "nms_threshold", "0.6", "pre_nms_count", "50", "post_nms_count", "4"}
			for i := 0; i < len(c.at); i += 2 {
				if k := slices.Index(at, c.at[i]); k >= 0 {
					at[k+1] = c.at[i+1]
				} else {
					at = append(at, c.at[i], c.at[i+1])
				}
			}
			got, err := layertest.RunOutputs(&Ops[0], at, 1, 3,
				layertest.Numbers(t, ir.F32, ir.Shape{1, 3}, c.info...), layertest.Numbers(t, ir.F32, ir.Shape{1, 3, 1, 4}, c.anchors...),
				layertest.Numbers(t, ir.F32, ir.Shape{1, 4, 1, 3}, c.deltas...), layertest.Numbers(t, ir.F32, ir.Shape{1, 1, 1, 3}, c.scores...))
			require.NoError(t, err)
			layertest.Near(t, c.want, got[1], 1e-6, "scores")
			layertest.Near(t, c.rois, got[0], 1e-6, "regions")
		})
	}
}

func TestErrors(t *testing.T) {
	at := layertest.Attributes{"min_size", "0", "nms_threshold", "0.6", "pre_nms_count", "50", "post_nms_count", "4"}
	_, err := layertest.RunOutputs(&Ops[0], at, 1, 3,
		layertest.Numbers(t, ir.F32, ir.Shape{1, 3}), layertest.Numbers(t, ir.F32, ir.Shape{1, 3, 1, 4}),
		layertest.Numbers(t, ir.F16, ir.Shape{1, 4, 1, 3}), layertest.Numbers(t, ir.F32, ir.Shape{1, 1, 1, 3}))
	assert.ErrorContains(t, err, "deltas is f16, im_info is f32")
}

// TestKernel_allocations runs the kernel again with the outputs of the first run, which have the
// right shape.
func TestKernel_allocations(t *testing.T) {
	at := layertest.Attributes{"min_size", "0", "nms_threshold", "0.6", "pre_nms_count", "50", "post_nms_count", "4"}
	for _, elementType := range floats.Types {
		for threads := 1; threads <= 2; threads++ {
			kernel, r, err := layertest.PrepareOutputs(&Ops[0], at, threads, 3, numbersOf(t, elementType)...)
			require.NoError(t, err)
			require.NoError(t, kernel(r))
			r.Resize = func(int, ir.Shape) error { return nil }
			require.Zero(t, testing.AllocsPerRun(10, func() { err = kernel(r) }), elementType)
			r.Pool.Close()
			require.NoError(t, err)
		}
	}
}

func numbersOf(t *testing.T, elementType ir.ElementType) []*ir.Tensor {
	return []*ir.Tensor{
		layertest.Numbers(t, elementType, ir.Shape{2, 3}), layertest.Numbers(t, elementType, ir.Shape{8, 8, 3, 4}),
		layertest.Numbers(t, elementType, ir.Shape{2, 12, 8, 8}), layertest.Numbers(t, elementType, ir.Shape{2, 3, 8, 8}),
	}
}
