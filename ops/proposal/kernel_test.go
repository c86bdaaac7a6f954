package proposal

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

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
)

type region struct{ x1, y1, x2, y2, score float64 }

// reference computes the definition for an image: probabilities and deltas of all its channels, and
// a map of height x width points.
func reference(at *attributes, height, width int, image, probabilities, deltas []float64) []region {
	count, plane := len(at.ratio)*len(at.scale), height*width
	tensorflow, extent := at.framework == "tensorflow", 1.0
	limitX, limitY := image[1], image[0]
	if tensorflow {
		extent, limitX, limitY = 0, limitY, limitX
	}
	minY, minX := float64(at.minSize)*image[2], float64(at.minSize)*image[len(image)-1]
	var all []region
	for i := range plane * count {
		a, row, column := i%count, i/count/width, i/count%width
		ratio, scale := at.ratio[a/len(at.scale)], at.scale[a%len(at.scale)]
		w := math.Sqrt(float64(at.baseSize*at.baseSize) / ratio)
		if !tensorflow {
			w = math.Round(w)
		}
		h := w * ratio
		if !tensorflow {
			h = math.Round(h)
			row, column = column, row
		}
		delta := func(k int) float64 { return deltas[(4*a+k)*plane+i/count] }
		side := func(size float64, point int, move, stretch, limit float64) (lo, hi float64) {
			centre := float64(int64(point) * at.featStride)
			if tensorflow {
				lo, hi = math.Max(0, math.Min(centre-size/2, limit)), math.Max(0, math.Min(centre+size/2, limit))
			} else {
				centre += float64(at.baseSize-1) / 2
				lo, hi = centre-(size-1)/2, centre+(size-1)/2
			}
			length := hi - lo + extent
			centre = lo + length/2 + move/at.boxCoordinateScale*length
			length *= math.Exp(stretch / at.boxSizeScale)
			lo, hi = centre-length/2, centre+length/2
			if at.clipBeforeNMS {
				lo, hi = math.Max(0, math.Min(lo, limit-extent)), math.Max(0, math.Min(hi, limit-extent))
			}
			return lo, hi
		}
		r := region{score: probabilities[(count+a)*plane+i/count]}
		r.x1, r.x2 = side(w*scale, row, delta(0), delta(2), limitX)
		r.y1, r.y2 = side(h*scale, column, delta(1), delta(3), limitY)
		if r.x2-r.x1+extent < minX || r.y2-r.y1+extent < minY {
			r.score = 0
		}
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b region) int { return cmp.Compare(b.score, a.score) })
	var picked []region
	for _, r := range all[:min(len(all), int(at.preNMSTopN))] {
		keep := true
		for _, o := range picked {
			if r.x1 > o.x2 || o.x1 > r.x2 || r.y1 > o.y2 || o.y1 > r.y2 {
				continue
			}
			common := (math.Min(r.x2, o.x2) - math.Max(r.x1, o.x1) + extent) * (math.Min(r.y2, o.y2) - math.Max(r.y1, o.y1) + extent)
			area := func(r *region) float64 { return (r.x2 - r.x1 + extent) * (r.y2 - r.y1 + extent) }
			keep = keep && !(common/(area(&r)+area(&o)-common) > at.nmsThresh)
		}
		if keep && len(picked) < int(at.postNMSTopN) {
			picked = append(picked, r)
		}
	}
	for i := range picked {
		r := &picked[i]
		if at.clipAfterNMS {
			r.x1, r.x2 = math.Max(0, math.Min(r.x1, limitX)), math.Max(0, math.Min(r.x2, limitX))
			r.y1, r.y2 = math.Max(0, math.Min(r.y1, limitY)), math.Max(0, math.Min(r.y2, limitY))
		}
		if at.normalize {
			r.x1, r.y1, r.x2, r.y2 = r.x1/limitX, r.y1/limitY, r.x2/limitX, r.y2/limitY
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
	compare(t, rng, rng.IntN(3), rng.IntN(4), rng.IntN(5), types...)
}

var tolerances = map[ir.ElementType]float64{ir.F64: 1e-9, ir.F32: 1e-4, ir.F16: 0.1, ir.BF16: 0.6}

func compare(t *testing.T, rng *rand.Rand, images, height, width int, types ...ir.ElementType) {
	at := attributes{
		baseSize: 8 + rng.Int64N(9), preNMSTopN: 1 + rng.Int64N(40), postNMSTopN: rng.Int64N(9), featStride: 1 + rng.Int64N(16), minSize: rng.Int64N(14),
		nmsThresh: float64(float32([]float64{0.613, 0.217}[rng.IntN(2)])), boxSizeScale: 1 + float64(rng.IntN(2)), boxCoordinateScale: 1 + float64(rng.IntN(5)),
		ratio: []float64{0.5, 1, 2}[:1+rng.IntN(3)], scale: []float64{1, 1.5}[:1+rng.IntN(2)],
		clipBeforeNMS: rng.IntN(2) == 0, clipAfterNMS: rng.IntN(2) == 0, normalize: rng.IntN(2) == 0,
		framework: []string{"", "caffe", "tensorflow"}[rng.IntN(3)],
	}
	version := 1 + 3*rng.IntN(2)
	image := []float64{40, 48, 1, 0.5}[:3+rng.IntN(2)]
	count := len(at.ratio) * len(at.scale)
	plane := height * width
	probabilities, deltas := make([]float64, images*2*count*plane), layertest.RandomNumbers(rng, 8, 0.0625, images*4*count*plane)
	for i := range probabilities {
		probabilities[i] = float64(rng.IntN(72)-8) / 64
	}
	var regions, scores []float64
	for i := range images {
		found := reference(&at, height, width, image, probabilities[i*2*count*plane:], deltas[i*4*count*plane:])
		for _, r := range found {
			regions, scores = append(regions, float64(i), r.x1, r.y1, r.x2, r.y2), append(scores, r.score)
		}
		for k := len(found); k < int(at.postNMSTopN); k++ {
			row := make([]float64, 5)
			if k == len(found) {
				row[0] = -1
			}
			regions, scores = append(regions, row...), append(scores, 0)
		}
	}
	for _, elementType := range types {
		for threads := 1; threads <= 2; threads++ {
			got, err := layertest.RunOutputs(layertest.Find(t, Ops, version), attributesOf(&at), threads, 1+version/4,
				layertest.Numbers(t, elementType, ir.Shape{images, 2 * count, height, width}, probabilities...),
				layertest.Numbers(t, elementType, ir.Shape{images, 4 * count, height, width}, deltas...),
				layertest.Numbers(t, elementType, ir.Shape{len(image)}, image...))
			require.NoError(t, err)
			what := fmt.Sprintf("%v %v %vx%v %+v", elementType, images, height, width, at)
			if version == 4 {
				layertest.Near(t, scores, got[1], 0, "scores of %s", what)
			}
			layertest.Near(t, regions, got[0], tolerances[elementType], "regions of %s", what)
		}
	}
}

func attributesOf(at *attributes) layertest.Attributes {
	list := func(values []float64) string {
		return strings.ReplaceAll(strings.Trim(fmt.Sprint(values), "[]"), " ", ",")
	}
	return layertest.Attributes{
		"base_size", fmt.Sprint(at.baseSize), "pre_nms_topn", fmt.Sprint(at.preNMSTopN), "post_nms_topn", fmt.Sprint(at.postNMSTopN),
		"feat_stride", fmt.Sprint(at.featStride), "min_size", fmt.Sprint(at.minSize), "nms_thresh", fmt.Sprint(at.nmsThresh),
		"box_size_scale", fmt.Sprint(at.boxSizeScale), "box_coordinate_scale", fmt.Sprint(at.boxCoordinateScale),
		"ratio", list(at.ratio), "scale", list(at.scale), "clip_before_nms", fmt.Sprint(at.clipBeforeNMS),
		"clip_after_nms", fmt.Sprint(at.clipAfterNMS), "normalize", fmt.Sprint(at.normalize), "framework", at.framework,
	}
}

// TestLarge has enough boxes to sort them by digits.
func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 4 {
		compare(t, rng, 2, 23, 19, ir.F32, ir.F64)
	}
}

// simple are the attributes of one square anchor per point.
func simple() attributes {
	return attributes{
		baseSize: 8, preNMSTopN: 50, postNMSTopN: 4, featStride: 8, minSize: 4, nmsThresh: 0.6, boxSizeScale: 1, boxCoordinateScale: 1,
		ratio: []float64{1}, scale: []float64{1}, clipBeforeNMS: true,
	}
}

// TestOrder has equal scores, scores below 0, boxes that are too small, and NaN.
func TestOrder(t *testing.T) {
	nan := math.NaN()
	first, second, third := []float64{0, 0, 0, 8, 8}, []float64{0, 8, 0, 16, 8}, []float64{0, 16, 0, 23, 8}
	for _, c := range []struct {
		name   string
		scores []float64
		small  int // the number of a box that is too small; -1 for none
		want   [][]float64
		order  []float64
	}{
		{"equal", []float64{0.5, 0.5, 0.9}, -1, [][]float64{third, first, second}, []float64{0.9, 0.5, 0.5, 0}},
		{"negative", []float64{0.5, -0.5, 0.9}, 2, [][]float64{first, {0, 18.67, 2.67, 21.33, 5.33}, second}, []float64{0.5, 0, -0.5, 0}},
		{"NaN", []float64{nan, 0.25, 0.5}, -1, [][]float64{third, second, first}, []float64{0.5, 0.25, nan, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := simple()
			deltas := make([]float64, 12)
			if c.small >= 0 {
				at.minSize = 5
				deltas[6+c.small], deltas[9+c.small] = -math.Log(3), -math.Log(3)
			}
			got, err := layertest.RunOutputs(&Ops[1], attributesOf(&at), 1, 2,
				layertest.Numbers(t, ir.F32, ir.Shape{1, 2, 1, 3}, append([]float64{9, 9, 9}, c.scores...)...),
				layertest.Numbers(t, ir.F32, ir.Shape{1, 4, 1, 3}, deltas...), layertest.Numbers(t, ir.F32, ir.Shape{3}, 16, 24, 1))
			require.NoError(t, err)
			layertest.Near(t, c.order, got[1], 1e-6, "scores")
			rows := layertest.Floats(t, got[0])
			for i, want := range c.want {
				for j, v := range want {
					assert.InDelta(t, v, rows[5*i+j], 0.01, "row %d: %v", i, rows[5*i:5*i+5])
				}
			}
			assert.Equal(t, []float64{-1, 0, 0, 0, 0}, rows[15:])
		})
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(*attributes)
		image  []float64
	}{
		{"image_shape[0] is 0, expected a size above 0 or a scale of at least 0", nil, []float64{0, 24, 1}},
		{"image_shape[1] is NaN", nil, []float64{16, math.NaN(), 1}},
		{"image_shape[1] is 1e-40", nil, []float64{16, 1e-40, 1}},
		{"image_shape[0] is +Inf", nil, []float64{math.Inf(1), 24, 1}},
		{"image_shape[2] is -1", nil, []float64{16, 24, -1}},
		{"image_shape[3] is +Inf", nil, []float64{16, 24, 0, math.Inf(1)}},
		{"pre_nms_topn is 0, expected a number above 0", func(a *attributes) { a.preNMSTopN = 0 }, []float64{16, 24, 1}},
		{"post_nms_topn is -1: ", func(a *attributes) { a.postNMSTopN = -1 }, []float64{16, 24, 1}},
		{"ratio[0] is -1, expected a number above 0", func(a *attributes) { a.ratio[0] = -1 }, []float64{16, 24, 1}},
		{"class_probs has shape [1,2,1,3], ratio and scale describe 2 anchors, which need 4 channels", func(a *attributes) { a.scale = []float64{1, 2} }, []float64{16, 24, 1}},
		{`framework is "pytorch", expected "tensorflow", "caffe" or none`, func(a *attributes) { a.framework = "pytorch" }, []float64{16, 24, 1}},
	} {
		at := simple()
		if c.change != nil {
			c.change(&at)
		}
		_, err := layertest.Run(&Ops[0], attributesOf(&at), 1, layertest.Numbers(t, ir.F64, ir.Shape{1, 2, 1, 3}), layertest.Numbers(t, ir.F64, ir.Shape{1, 4, 1, 3}),
			layertest.Numbers(t, ir.F64, ir.Shape{len(c.image)}, c.image...))
		assert.ErrorContains(t, err, c.want)
	}
	at := simple()
	_, err := layertest.Run(&Ops[0], attributesOf(&at), 1, layertest.Numbers(t, ir.F32, ir.Shape{1, 2, 1, 3}), layertest.Numbers(t, ir.F16, ir.Shape{1, 4, 1, 3}),
		layertest.Numbers(t, ir.F32, ir.Shape{3}))
	assert.ErrorContains(t, err, "bbox_deltas is f16, class_probs is f32")
	for _, deltas := range []ir.Shape{{1, 4, 1, 2}, {1, 4, 1, 4}, {1, 4, 3, 1}, {1, 4, 2, 3}, {1, 4, 0, 3}} {
		_, err := layertest.Run(&Ops[0], attributesOf(&at), 1, layertest.Numbers(t, ir.F32, ir.Shape{1, 2, 1, 3}),
			layertest.Numbers(t, ir.F32, deltas, make([]float64, deltas.Elements())...), layertest.Numbers(t, ir.F32, ir.Shape{3}, 16, 24, 1))
		assert.ErrorContains(t, err, "the heights or widths of their maps differ")
	}
}

// TestStopped has more anchors than can be computed in no time.
func TestStopped(t *testing.T) {
	stopped := make(chan struct{})
	close(stopped)
	at := simple()
	_, err := anchors[float32](&ops.Preparation{Stop: stopped}, &at, false)
	assert.ErrorIs(t, err, parallel.ErrStopped)
}

func TestKernel_allocations(t *testing.T) {
	at := simple()
	for _, elementType := range floats.Types {
		layertest.CheckAllocationsOf(t, &Ops[1], attributesOf(&at), 2, layertest.Numbers(t, elementType, ir.Shape{2, 2, 20, 20}),
			layertest.Numbers(t, elementType, ir.Shape{2, 4, 20, 20}), layertest.Numbers(t, elementType, ir.Shape{3}, 100, 100, 1))
	}
}
