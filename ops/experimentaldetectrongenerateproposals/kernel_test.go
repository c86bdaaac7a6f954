package experimentaldetectrongenerateproposals

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

// box is x1, y1, x2, y2 and the score.
type box [5]float64

func (a *box) overlap(b *box) float64 {
	w, h := math.Min(a[2], b[2])-math.Max(a[0], b[0]), math.Min(a[3], b[3])-math.Max(a[1], b[1])
	common := math.Max(w, 0) * math.Max(h, 0)
	return common / ((a[2]-a[0])*(a[3]-a[1]) + (b[2]-b[0])*(b[3]-b[1]) - common)
}

// reference returns the outputs for scores of shape [anchors,height,width].
func reference(shape ir.Shape, info, anchors, deltas, scores []float64, at *attributes) (rois, probabilities []float64) {
	count, plane := shape[0], shape[1]*shape[2]
	var all []box
	for i := range count * plane {
		a, point := i%count, i/count
		b := box{4: scores[a*plane+point]}
		for axis, limit := range []float64{info[1], info[0]} {
			lo, hi := anchors[4*i+axis], anchors[4*i+axis+2]
			size := hi - lo + 1
			centre := lo + size/2 + deltas[(4*a+axis)*plane+point]*size
			size *= math.Exp(math.Min(deltas[(4*a+axis+2)*plane+point], math.Log(62.5)))
			b[axis] = math.Max(0, math.Min(centre-size/2, limit-1))
			b[axis+2] = math.Max(0, math.Min(centre+size/2-1, limit-1))
		}
		all = append(all, b)
	}
	slices.SortStableFunc(all, func(a, b box) int { return cmp.Compare(b[4], a[4]) })
	var picked []box
	for _, b := range all[:min(len(all), int(at.preNMSCount))] {
		keep := b[4] != 0 && b[2]-b[0]+1 >= at.minSize && b[3]-b[1]+1 >= at.minSize
		for i := range picked {
			keep = keep && !(b.overlap(&picked[i]) > at.nmsThreshold)
		}
		if keep {
			picked = append(picked, b)
		}
	}
	picked = append(picked, make([]box, at.postNMSCount)...)[:at.postNMSCount]
	for _, b := range picked {
		rois, probabilities = append(rois, b[:4]...), append(probabilities, b[4])
	}
	return rois, probabilities
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
	compare(t, rng, ir.Shape{rng.IntN(4), rng.IntN(5), rng.IntN(5)}, types...)
}

var tolerances = map[ir.ElementType]float64{ir.F64: 1e-9, ir.F32: 1e-4, ir.F16: 0.05, ir.BF16: 0.5}

func compare(t *testing.T, rng *rand.Rand, shape ir.Shape, types ...ir.ElementType) {
	at := attributes{
		preNMSCount: 1 + rng.Int64N(30), postNMSCount: rng.Int64N(9), minSize: float64(rng.IntN(8)),
		nmsThreshold: float64(float32([]float64{0.613, 0.117, 0}[rng.IntN(3)])),
	}
	n := shape.Elements()
	anchors, info := []float64{}, []float64{40, 48, 2}
	for range n {
		x, y := float64(rng.IntN(40)), float64(rng.IntN(40))
		anchors = append(anchors, x, y, x+float64(rng.IntN(30)), y+float64(rng.IntN(30)))
	}
	deltas, scores := layertest.RandomNumbers(rng, 8, 0.0625, 4*n), layertest.RandomNumbers(rng, 32, 1.0/32, n)
	rois, probabilities := reference(shape, info, anchors, deltas, scores, &at)
	for _, elementType := range types {
		got, err := layertest.RunOutputs(&Ops[0], attributesOf(&at), 1, 2, inputs(t, elementType, shape, info, anchors, deltas, scores)...)
		require.NoError(t, err)
		layertest.Near(t, probabilities, got[1], 0, "scores of %v %v %+v", elementType, shape, at)
		layertest.Near(t, rois, got[0], tolerances[elementType], "regions of %v %v %+v", elementType, shape, at)
	}
}

func inputs(t testing.TB, elementType ir.ElementType, shape ir.Shape, info, anchors, deltas, scores []float64) []*ir.Tensor {
	return []*ir.Tensor{
		layertest.Numbers(t, elementType, ir.Shape{3}, info...), layertest.Numbers(t, elementType, ir.Shape{shape.Elements(), 4}, anchors...),
		layertest.Numbers(t, elementType, ir.Shape{4 * shape[0], shape[1], shape[2]}, deltas...), layertest.Numbers(t, elementType, shape, scores...),
	}
}

func attributesOf(at *attributes) layertest.Attributes {
	return layertest.Attributes{
		"pre_nms_count", fmt.Sprint(at.preNMSCount), "post_nms_count", fmt.Sprint(at.postNMSCount),
		"min_size", fmt.Sprint(at.minSize), "nms_threshold", fmt.Sprint(at.nmsThreshold),
	}
}

// TestLarge has enough boxes to sort them by digits.
func TestLarge(t *testing.T) {
	compare(t, rand.New(rand.NewPCG(3, 4)), ir.Shape{3, 23, 19}, ir.F32, ir.F64)
}

// TestNaN has a score, a delta and an anchor of NaN.
func TestNaN(t *testing.T) {
	nan := math.NaN()
	at := attributes{preNMSCount: 9, postNMSCount: 3, nmsThreshold: 0.5}
	anchors := []float64{0, 0, 4, 4, nan, 0, 14, 14, 0, 6, 4, 10}
	deltas := make([]float64, 12)
	deltas[2] = nan
	got, err := layertest.RunOutputs(&Ops[0], attributesOf(&at), 1, 2,
		inputs(t, ir.F32, ir.Shape{1, 1, 3}, []float64{20, 20, 1}, anchors, deltas, []float64{nan, 0.5, 0.25})...)
	require.NoError(t, err)
	layertest.Near(t, []float64{0.5, 0.25, nan}, got[1], 0, "scores")
	layertest.Near(t, []float64{0, 0, 0, 14, 0, 6, 0, 10, 0, 0, 4, 4}, got[0], 1e-6, "regions")
}

func TestErrors(t *testing.T) {
	at := attributes{preNMSCount: 9, postNMSCount: 3}
	valid := inputs(t, ir.F32, ir.Shape{2, 3, 4}, nil, nil, nil, nil)
	for _, c := range []struct {
		want   string
		at     attributes
		anchor ir.Shape
	}{
		{"anchors has shape [23,4], deltas [8,3,4], scores [2,3,4]: their numbers of boxes differ", at, ir.Shape{23, 4}},
		{"pre_nms_count is 0, expected a number above 0", attributes{postNMSCount: 3}, ir.Shape{24, 4}},
		{"post_nms_count is -1: ", attributes{preNMSCount: 1, postNMSCount: -1}, ir.Shape{24, 4}},
	} {
		valid[1] = layertest.Numbers(t, ir.F32, c.anchor)
		_, err := layertest.RunOutputs(&Ops[0], attributesOf(&c.at), 1, 2, valid...)
		assert.ErrorContains(t, err, c.want)
	}
}

func TestKernel_allocations(t *testing.T) {
	at := attributes{preNMSCount: 99, postNMSCount: 30, nmsThreshold: 0.5}
	for _, elementType := range floats.Types {
		layertest.CheckAllocationsOf(t, &Ops[0], attributesOf(&at), 2, inputs(t, elementType, ir.Shape{2, 13, 14}, nil, nil, nil, nil)...)
	}
}
