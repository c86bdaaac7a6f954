package detectionoutput

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
	images, priors, classes                                                     int
	topK, keepTopK, background                                                  int
	share, normalized, encoded, center, decrease, clipBefore, clipAfter, refine bool
	// each image has its own priors
	own                             bool
	overlap, confidence, objectness float64
	inputs                          [][]float64
}

func random(rng *rand.Rand, maxPriors int) *problem {
	flag := func() bool { return rng.IntN(2) == 0 }
	p := &problem{
		images: 1 + rng.IntN(2), priors: 1 + rng.IntN(maxPriors), classes: 1 + rng.IntN(4), topK: []int{-1, 0, 3, 20}[rng.IntN(4)],
		keepTopK: []int{-1, 1, 4, 40}[rng.IntN(4)], background: rng.IntN(3) - 1, share: flag(), normalized: flag(), encoded: flag(), center: flag(),
		decrease: flag(), clipBefore: flag(), clipAfter: flag(), refine: flag(), own: flag(),
		overlap: 0.1 + rng.Float64(), confidence: []float64{0.25, 0.5, 0}[rng.IntN(3)], objectness: 0.3,
	}
	if p.decrease {
		p.background = 0
	}
	sets, rows, size, priorSets := p.classes, 2, 5, 1
	if p.share {
		sets = 1
	}
	if p.encoded {
		rows = 1
	}
	if p.normalized {
		size = 4
	}
	if p.own {
		priorSets = p.images
	}
	// Scores have few values, so that some are equal.
	fill := func(n int, f func(i int) float64) {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(float32(f(i)))
		}
		p.inputs = append(p.inputs, values)
	}
	fill(p.images*p.priors*sets*4, func(int) float64 { return rng.Float64() - 0.5 })
	fill(p.images*p.priors*p.classes, func(int) float64 { return float64(rng.IntN(16)) / 16 })
	fill(priorSets*rows*p.priors*size, func(i int) float64 {
		switch {
		case size == 5 && i%5 == 0 && rng.IntN(10) == 0:
			return -1
		case size == 5:
			return 30 * rng.Float64()
		}
		return rng.Float64()
	})
	if p.refine {
		fill(p.images*p.priors*2, func(int) float64 { return rng.Float64() })
		fill(p.images*p.priors*sets*4, func(int) float64 { return rng.Float64() - 0.5 })
	}
	return p
}

func (p *problem) attributes() layertest.Attributes {
	code := "caffe.PriorBoxParameter.CORNER"
	if p.center {
		code = "caffe.PriorBoxParameter.CENTER_SIZE"
	}
	return layertest.Attributes{
		"num_classes", fmt.Sprint(p.classes), "top_k", fmt.Sprint(p.topK), "keep_top_k", fmt.Sprint(p.keepTopK), "background_label_id", fmt.Sprint(p.background),
		"share_location", fmt.Sprint(p.share), "normalized", fmt.Sprint(p.normalized), "variance_encoded_in_target", fmt.Sprint(p.encoded), "code_type", code,
		"decrease_label_id", fmt.Sprint(p.decrease), "clip_before_nms", fmt.Sprint(p.clipBefore), "clip_after_nms", fmt.Sprint(p.clipAfter),
		"nms_threshold", fmt.Sprint(p.overlap), "confidence_threshold", fmt.Sprint(p.confidence), "objectness_score", fmt.Sprint(p.objectness),
		"input_width", "30", "input_height", "20",
	}
}

func (p *problem) tensors(t testing.TB, elementType ir.ElementType) []*ir.Tensor {
	sets, rows := 1, 2
	if p.encoded {
		rows = 1
	}
	if p.own {
		sets = p.images
	}
	var tensors []*ir.Tensor
	for i, values := range p.inputs {
		shape := ir.Shape{p.images, len(values) / p.images}
		if i == proposalsPort {
			shape = ir.Shape{sets, rows, len(values) / sets / rows}
		}
		tensors = append(tensors, layertest.Numbers(t, elementType, shape, values...))
	}
	return tensors
}

// found is a box that takes part in the suppression.
type found struct {
	prior, class int
	score        float64
	box          [4]float64
}

// boxOf computes the box of a prior, a class and an image.
func (p *problem) boxOf(image, prior, class int) [4]float64 {
	size, all, shift := 4, p.inputs[proposalsPort], 0
	if !p.normalized {
		size = 5
	}
	if p.own {
		all = all[image*len(all)/p.images:]
	}
	var box [4]float64
	copy(box[:], all[prior*size+size-4:])
	if shift = 4 * (image*p.priors + prior); !p.share {
		shift = 4 * ((image*p.priors+prior)*p.classes + class)
	}
	moves := [][]float64{p.inputs[boxLogitsPort][shift:]}
	if p.refine {
		moves = [][]float64{p.inputs[auxBoxPredsPort][shift:], moves[0]}
	}
	for _, move := range moves {
		var by [4]float64
		for i := range by {
			by[i] = move[i]
			if !p.encoded {
				by[i] *= all[p.priors*size+4*prior+i]
			}
			if !p.normalized {
				box[i] /= []float64{30, 20}[i%2]
			}
		}
		if p.center {
			for i := range 2 {
				length, middle := box[i+2]-box[i], (box[i]+box[i+2])/2+by[i]*(box[i+2]-box[i])
				length *= math.Exp(by[i+2])
				box[i], box[i+2] = middle-length/2, middle+length/2
			}
		} else {
			for i := range box {
				box[i] += by[i]
			}
		}
		if p.clipBefore {
			clipped(&box)
		}
	}
	return box
}

func clipped(box *[4]float64) {
	for i := range box {
		box[i] = max(0, min(1, box[i]))
	}
}

func iou(a, b [4]float64) float64 {
	w, h := min(a[2], b[2])-max(a[0], b[0]), min(a[3], b[3])-max(a[1], b[1])
	if w <= 0 || h <= 0 {
		return 0
	}
	return w * h / ((a[2]-a[0])*(a[3]-a[1]) + (b[2]-b[0])*(b[3]-b[1]) - w*h)
}

// candidates returns the candidates of all classes of an image, the best first.
func (p *problem) candidates(image int) []found {
	var list []found
	for prior := range p.priors {
		if first := p.inputs[proposalsPort]; !p.normalized {
			if p.own {
				first = first[image*len(first)/p.images:]
			}
			if first[5*prior] == -1 {
				break
			}
		}
		best := found{score: -1}
		for class := range p.classes {
			f := found{prior: prior, class: class, score: p.inputs[classPredsPort][(image*p.priors+prior)*p.classes+class]}
			if p.refine && p.inputs[auxClassPredsPort][(image*p.priors+prior)*2+1] < float64(float32(p.objectness)) {
				f.score = 0
			}
			switch {
			case p.decrease:
				if class > 0 && f.score >= p.confidence && f.score > best.score {
					best = f
				}
			case class != p.background && f.score > p.confidence:
				list = append(list, f)
			}
		}
		if best.class > 0 {
			list = append(list, best)
		}
	}
	slices.SortStableFunc(list, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.class, b.class), cmp.Compare(a.prior, b.prior))
	})
	return list
}

func (p *problem) reference() [][]float64 {
	var rows [][]float64
	for image := range p.images {
		var selected []found
		// the number of candidates of a class or, for decrease_label_id, of the image
		taken := map[int]int{}
		for _, f := range p.candidates(image) {
			key := f.class
			if p.decrease {
				key = 0
			}
			if taken[key]++; p.topK >= 0 && taken[key] > p.topK {
				continue
			}
			f.box = p.boxOf(image, f.prior, f.class)
			if !slices.ContainsFunc(selected, func(s found) bool { return s.class == f.class && iou(s.box, f.box) > p.overlap }) {
				selected = append(selected, f)
			}
		}
		if p.keepTopK >= 0 && len(selected) > p.keepTopK {
			slices.SortStableFunc(selected, func(a, b found) int {
				return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.prior, b.prior), cmp.Compare(a.class, b.class))
			})
			selected = selected[:p.keepTopK]
		}
		slices.SortStableFunc(selected, func(a, b found) int { return cmp.Compare(a.class, b.class) })
		for _, f := range selected {
			if p.clipAfter {
				clipped(&f.box)
			}
			label := f.class
			if p.decrease {
				label--
			}
			rows = append(rows, append([]float64{float64(image), float64(label), f.score}, f.box[:]...))
		}
	}
	return rows
}

func (p *problem) check(t testing.TB, elementType ir.ElementType) {
	t.Helper()
	version := 0 // DetectionOutput-1
	layertest.CheckRuns(t, &Ops[version], p.attributes(), p.tensors(t, elementType), func(r layertest.Result) {
		require.NoError(t, r.Err, r.Layer)
		want := slices.Concat(p.reference()...)
		if len(want) < r.Output.Len() {
			want = append(want, -1)
		}
		want = append(want, make([]float64, r.Output.Len()-len(want))...)
		layertest.Near(t, want, r.Output, 1e-4, "%s %+v", r.Layer, *p)
	})
}

func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		random(rng, 12).check(t, ir.F64)
	}
}

func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		random(rng, 400).check(t, ir.F64)
	}
}

// TestTypes has numbers that all types can hold.
func TestTypes(t *testing.T) {
	p := &problem{images: 1, priors: 2, classes: 2, topK: -1, keepTopK: 4, background: 0, share: true, normalized: true, encoded: true, overlap: 0.5,
		inputs: [][]float64{{0, 0, 0.25, 0.5, 0, 0, 0.25, 0.25}, {0, 0.5, 0, 0.75}, {0, 0, 0.5, 0.5, 0.25, 0.25, 0.5, 0.5}}}
	for _, elementType := range []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16} {
		p.check(t, elementType)
	}
}

func TestVersion8(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		p := random(rng, 12)
		in := p.tensors(t, ir.F32)
		want, err := layertest.Run(&Ops[0], p.attributes(), 1, in...)
		require.NoError(t, err)
		got, err := layertest.Run(&Ops[1], p.attributes()[2:], 1, in...)
		require.NoError(t, err)
		require.Equal(t, layertest.Elements(want), layertest.Elements(got))
	}
}

// TestNotFinite has logits, scores and priors that are NaN and infinite. NaN is no score above the
// threshold.
func TestNotFinite(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 500 {
		p := random(rng, 12)
		for _, values := range p.inputs {
			for range len(values)/4 + 1 {
				values[rng.IntN(len(values))] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e38}[rng.IntN(4)]
			}
		}
		out, err := layertest.Run(&Ops[0], p.attributes(), 2, p.tensors(t, ir.F32)...)
		require.NoError(t, err)
		for i := 0; i+7 <= out.Len() && layertest.Floats(t, out)[i] >= 0; i += 7 {
			require.False(t, math.IsNaN(layertest.Floats(t, out)[i+2]))
		}
	}
}

func TestErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, c := range []struct {
		change func(p *problem)
		want   string
	}{
		{func(p *problem) { p.topK = -2 }, "top_k is -2, expected -1 or more"},
		{func(p *problem) { p.decrease, p.background = true, 1 }, "decrease_label_id is true and background_label_id is 1, expected 0"},
	} {
		p := random(rng, 5)
		p.decrease = false
		c.change(p)
		_, err := layertest.Run(&Ops[0], p.attributes(), 1, p.tensors(t, ir.F32)...)
		assert.EqualError(t, err, c.want)
	}
	p := random(rng, 5)
	for p.normalized || p.decrease {
		p = random(rng, 5)
	}
	attributes := append(p.attributes()[:len(p.attributes())-4], "input_width", "0", "input_height", "5")
	_, err := layertest.Run(&Ops[0], attributes, 1, p.tensors(t, ir.F32)...)
	assert.EqualError(t, err, "input_width is 0 and input_height is 5, which coordinates are divided by")
}

func TestAllocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for i := range 40 {
		p := random(rng, 200)
		layertest.CheckAllocations(t, &Ops[0], p.attributes(), p.tensors(t, []ir.ElementType{ir.F32, ir.F16}[i%2])...)
	}
}

// FuzzKernel compares random layers with the reference.
func FuzzKernel(f *testing.F) {
	f.Add(uint64(1), uint8(3))
	f.Add(uint64(2), uint8(200))
	f.Fuzz(func(t *testing.T, seed uint64, priors uint8) {
		random(rand.New(rand.NewPCG(seed, 1)), 1+int(priors)).check(t, ir.F64)
	})
}
