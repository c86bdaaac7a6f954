package experimentaldetectrondetectionoutput

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/floats"
)

type detected struct {
	x1, y1, x2, y2, score float64
	class, region         int
}

func (a *detected) overlap(b *detected) float64 {
	if a.x1 > b.x2 || b.x1 > a.x2 || a.y1 > b.y2 || b.y1 > a.y2 {
		return 0
	}
	common := (math.Min(a.x2, b.x2) - math.Max(a.x1, b.x1) + 1) * (math.Min(a.y2, b.y2) - math.Max(a.y1, b.y1) + 1)
	area := func(d *detected) float64 { return (d.x2 - d.x1 + 1) * (d.y2 - d.y1 + 1) }
	return common / (area(a) + area(b) - common)
}

// reference refines all regions for all classes, and then selects.
func reference(at *attributes, rois, deltas, scores []float64) []detected {
	classes := int(at.classes)
	side := func(lo, hi, move, stretch float64) (float64, float64) {
		size := hi - lo + 1
		centre := lo + size/2 + move*size
		size *= math.Exp(math.Min(stretch, at.maxDeltaLogWH))
		return math.Max(0, centre-size/2), math.Max(0, centre+size/2-1)
	}
	var out []detected
	for class := 1; class < classes; class++ {
		var all, picked []detected
		for i := range len(rois) / 4 {
			d := detected{class: class, region: i}
			if b := rois[4*i:]; b[2] > b[0] && b[3] > b[1] {
				delta := func(k int) float64 { return deltas[(i*classes+class)*4+k] / at.deltasWeights[k] }
				d.score = scores[i*classes+class]
				d.x1, d.x2 = side(b[0], b[2], delta(0), delta(2))
				d.y1, d.y2 = side(b[1], b[3], delta(1), delta(3))
			}
			if d.score > at.scoreThreshold {
				all = append(all, d)
			}
		}
		slices.SortStableFunc(all, func(a, b detected) int { return cmp.Compare(b.score, a.score) })
		for _, d := range all {
			if !slices.ContainsFunc(picked, func(p detected) bool { return p.overlap(&d) > at.nmsThreshold }) {
				picked = append(picked, d)
			}
		}
		if at.postNMSCount >= 0 {
			picked = picked[:min(len(picked), int(at.postNMSCount))]
		}
		out = append(out, picked...)
	}
	if most := int(at.maxDetections); len(out) > most {
		slices.SortFunc(out, func(a, b detected) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.region, b.region), cmp.Compare(a.class, b.class))
		})
		out = out[:most]
	}
	return append(out, make([]detected, int(at.maxDetections)-len(out))...)
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
	compare(t, rng, rng.IntN(20), rng.IntN(5), types...)
}

var tolerances = map[ir.ElementType]float64{ir.F64: 1e-9, ir.F32: 1e-4, ir.F16: 0.1, ir.BF16: 0.6}

func compare(t *testing.T, rng *rand.Rand, regions, classes int, types ...ir.ElementType) {
	at := attributes{
		classes: int64(classes), maxDetections: rng.Int64N(20), postNMSCount: rng.Int64N(9) - 1,
		scoreThreshold: []float64{0.25, 0, -1}[rng.IntN(3)], nmsThreshold: float64(float32([]float64{0.513, 0.117}[rng.IntN(2)])),
		maxDeltaLogWH: []float64{0.25, 4}[rng.IntN(2)], deltasWeights: []float64{2, 4, 1, 8},
	}
	var rois []float64
	for range regions {
		x, y := float64(rng.IntN(40)), float64(rng.IntN(40))
		rois = append(rois, x, y, x+float64(rng.IntN(20)-1), y+float64(rng.IntN(20)-1))
	}
	deltas, scores := layertest.RandomNumbers(rng, 16, 0.125, 4*regions*classes), layertest.RandomNumbers(rng, 32, 1.0/32, regions*classes)
	var boxes, labels, probabilities []float64
	for _, d := range reference(&at, rois, deltas, scores) {
		boxes, labels, probabilities = append(boxes, d.x1, d.y1, d.x2, d.y2), append(labels, float64(d.class)), append(probabilities, d.score)
	}
	for _, elementType := range types {
		for threads := 1; threads <= 2; threads++ {
			got, err := layertest.RunOutputs(&Ops[0], attributesOf(&at), threads, 3, inputs(t, elementType, regions, classes, rois, deltas, scores)...)
			require.NoError(t, err)
			what := fmt.Sprintf("%v %vx%v %+v", elementType, regions, classes, at)
			layertest.Near(t, probabilities, got[2], 0, "scores of %s", what)
			layertest.Near(t, labels, got[1], 0, "classes of %s", what)
			layertest.Near(t, boxes, got[0], tolerances[elementType], "boxes of %s", what)
		}
	}
}

func inputs(t testing.TB, elementType ir.ElementType, regions, classes int, rois, deltas, scores []float64) []*ir.Tensor {
	return []*ir.Tensor{
		layertest.Numbers(t, elementType, ir.Shape{regions, 4}, rois...), layertest.Numbers(t, elementType, ir.Shape{regions, 4 * classes}, deltas...),
		layertest.Numbers(t, elementType, ir.Shape{regions, classes}, scores...), layertest.Numbers(t, elementType, ir.Shape{1, 3}),
	}
}

func attributesOf(at *attributes) layertest.Attributes {
	return layertest.Attributes{
		"num_classes", fmt.Sprint(at.classes), "max_detections_per_image", fmt.Sprint(at.maxDetections), "post_nms_count", fmt.Sprint(at.postNMSCount),
		"score_threshold", fmt.Sprint(at.scoreThreshold), "nms_threshold", fmt.Sprint(at.nmsThreshold), "max_delta_log_wh", fmt.Sprint(at.maxDeltaLogWH),
		"deltas_weights", strings.ReplaceAll(strings.Trim(fmt.Sprint(at.deltasWeights), "[]"), " ", ","),
	}
}

// TestLarge has enough regions to sort them by digits, and several classes.
func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	compare(t, rng, 700, 5, ir.F32, ir.F64)
}

// TestNaN has a score, a delta and a region of NaN.
func TestNaN(t *testing.T) {
	nan := math.NaN()
	at := attributes{classes: 2, maxDetections: 3, postNMSCount: 9, nmsThreshold: 0.5, maxDeltaLogWH: 4, deltasWeights: []float64{1, 1, 1, 1}}
	deltas := make([]float64, 24)
	deltas[8+4+1] = nan
	got, err := layertest.RunOutputs(&Ops[0], attributesOf(&at), 1, 3,
		inputs(t, ir.F32, 3, 2, []float64{0, 0, 4, 4, 10, 10, 14, 14, nan, 20, 24, 24}, deltas, []float64{0, nan, 0, 0.5, 0, 0.25})...)
	require.NoError(t, err)
	layertest.Near(t, []float64{0.5, 0.25, 0}, got[2], 0, "scores")
	layertest.Near(t, []float64{10, 0, 14, 0, 0, 20, 0, 24, 0, 0, 0, 0}, got[0], 1e-6, "boxes")
}

func TestErrors(t *testing.T) {
	for want, change := range map[string]func(*attributes){
		"deltas_weights has 3 numbers, expected 4":      func(a *attributes) { a.deltasWeights = a.deltasWeights[:3] },
		"post_nms_count is -2, expected -1 or more":     func(a *attributes) { a.postNMSCount = -2 },
		"max_detections_per_image is -1: ":              func(a *attributes) { a.maxDetections = -1 },
		"scores has shape [3,2]: axis 1 is 2, expected": func(a *attributes) { a.classes = 3 },
	} {
		at := attributes{classes: 2, maxDetections: 3, deltasWeights: []float64{1, 1, 1, 1}}
		change(&at)
		values := inputs(t, ir.F32, 3, 2, nil, nil, nil)
		values[1] = layertest.Numbers(t, ir.F32, ir.Shape{3, 4 * int(at.classes)})
		_, err := layertest.RunOutputs(&Ops[0], attributesOf(&at), 1, 3, values...)
		assert.ErrorContains(t, err, want)
	}
}

func TestKernel_allocations(t *testing.T) {
	for _, most := range []int64{3, 3000} {
		at := attributes{classes: 4, maxDetections: most, postNMSCount: -1, scoreThreshold: -1, nmsThreshold: 0.5, deltasWeights: []float64{1, 1, 1, 1}}
		for _, elementType := range floats.Types {
			layertest.CheckAllocationsOf(t, &Ops[0], attributesOf(&at), 3, inputs(t, elementType, 300, 4, nil, nil, nil)...)
		}
	}
}
