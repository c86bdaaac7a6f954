package priorbox

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// box is a box in pixels of the image.
type box struct {
	x, y, width, height float64
	clipped             bool
}

// settings are the attributes of a layer.
type settings struct {
	minSize, maxSize, aspectRatio, fixedSize, fixedRatio, density, variance []float64
	flip, clip, scaleAll, maxFirst                                          bool
	step, offset                                                            float64

	width, height []float64 // of PriorBoxClustered
	stepW, stepH  float64
}

func numbers(values []float64) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(values), "[]"), " ", ",")
}

func (s *settings) attributes() layertest.Attributes {
	return layertest.Attributes{
		"min_size", numbers(s.minSize), "max_size", numbers(s.maxSize), "aspect_ratio", numbers(s.aspectRatio),
		"fixed_size", numbers(s.fixedSize), "fixed_ratio", numbers(s.fixedRatio), "density", numbers(s.density),
		"variance", numbers(s.variance), "flip", fmt.Sprint(s.flip), "clip", fmt.Sprint(s.clip),
		"scale_all_sizes", fmt.Sprint(s.scaleAll), "min_max_aspect_ratios_order", fmt.Sprint(s.maxFirst),
		"step", fmt.Sprint(s.step), "offset", fmt.Sprint(s.offset),
		"width", numbers(s.width), "height", numbers(s.height), "step_w", fmt.Sprint(s.stepW), "step_h", fmt.Sprint(s.stepH),
	}
}

// boxes returns the boxes of PriorBox with the centre (x, y).
func (s *settings) boxes(x, y, imageHeight float64) []box {
	unit := 1.0
	if !s.scaleAll {
		unit = imageHeight
	}
	var others []float64
	seen := []float64{1}
	for _, r := range s.aspectRatio {
		known := false
		for _, v := range seen {
			known = known || math.Abs(v-r) < 1e-6
		}
		if known {
			continue
		}
		seen, others = append(seen, r), append(others, r)
		if s.flip {
			seen, others = append(seen, 1/r), append(others, 1/r)
		}
	}
	var out []box
	grid := func(f, d, w, h float64) {
		n := int(d)
		for i := range n * n {
			distance := math.Floor(f / float64(n))
			corner := distance/2 - math.Floor(f)/2
			out = append(out, box{x + corner + float64(i%n)*distance, y + corner + float64(i/n)*distance, w, h, true})
		}
	}
	for i, f := range s.fixedSize {
		for _, r := range s.fixedRatio {
			grid(f, s.density[i], f*math.Sqrt(r), f/math.Sqrt(r))
		}
		if len(s.fixedRatio) > 0 {
			continue
		}
		grid(f, s.density[i], math.Floor(f), math.Floor(f))
		for _, r := range others {
			grid(f, s.density[i], f*math.Sqrt(r), f/math.Sqrt(r))
		}
	}
	for i, m := range s.minSize {
		m *= unit
		out = append(out, box{x, y, m, m, false})
		var middle []box
		if i < len(s.maxSize) {
			side := math.Sqrt(m * s.maxSize[i])
			middle = []box{{x, y, side, side, false}}
		}
		var stretched []box
		for _, r := range others {
			side := m
			if !s.scaleAll {
				side = s.minSize[0] * unit
			}
			stretched = append(stretched, box{x, y, side * math.Sqrt(r), side / math.Sqrt(r), false})
		}
		if !s.scaleAll && i < len(s.minSize)-1 {
			stretched = nil
		}
		if s.maxFirst {
			out = append(append(out, middle...), stretched...)
		} else {
			out = append(append(out, stretched...), middle...)
		}
	}
	return out
}

// reference computes the output of length n from the boxes of all points.
func (s *settings) reference(clustered bool, h, w, imageHeight, imageWidth, n int) []float64 {
	ih, iw := float64(imageHeight), float64(imageWidth)
	var all []box
	for i := range h * w {
		row, column := float64(i/w), float64(i%w)
		stepX, stepY, offset := s.step, s.step, s.offset
		switch {
		case clustered:
			if s.stepW != 0 {
				stepX = s.stepW
			}
			if s.stepH != 0 {
				stepY = s.stepH
			}
			if stepX == 0 && stepY == 0 {
				stepX, stepY = iw/float64(w), ih/float64(h)
			}
		case s.step == -1 && !s.scaleAll:
			stepX, stepY = ih/float64(h), ih/float64(h)
		case s.step == 0:
			stepX, stepY, offset = iw/float64(w), ih/float64(h), 0.5
		case !s.scaleAll:
			stepX, stepY = s.step*ih, s.step*ih
		}
		x, y := (column+offset)*stepX, (row+offset)*stepY
		if !clustered {
			all = append(all, s.boxes(x, y, ih)...)
			continue
		}
		for k := range s.width {
			all = append(all, box{x, y, s.width[k], s.height[k], false})
		}
	}
	var out []float64
	for _, b := range all {
		corners := []float64{(b.x - b.width/2) / iw, (b.y - b.height/2) / ih, (b.x + b.width/2) / iw, (b.y + b.height/2) / ih}
		for i := range corners {
			if s.clip || b.clipped && i < 2 {
				corners[i] = max(corners[i], 0)
			}
			if s.clip || b.clipped && i >= 2 {
				corners[i] = min(corners[i], 1)
			}
		}
		out = append(out, corners...)
	}
	out = append(out, make([]float64, n)...)[:n]
	for i := range n {
		v := 0.1
		if len(s.variance) > 0 {
			v = s.variance[i%4%len(s.variance)]
		}
		out = append(out, v)
	}
	return out
}

// check compares a layer with the reference.
func (s *settings) check(t testing.TB, op *ops.Op, h, w, imageHeight, imageWidth int, types ...ir.ElementType) {
	t.Helper()
	types = append(types, ir.I64, ir.I32)
	inputs := []*ir.Tensor{
		layertest.Ints(t, types[0], ir.Shape{2}, int64(h), int64(w)),
		layertest.Ints(t, types[1], ir.Shape{2}, int64(imageHeight), int64(imageWidth)),
	}
	got, err := layertest.Run(op, s.attributes(), 1, inputs...)
	require.NoError(t, err, "%+v", s)
	if op.Version < 8 {
		s.maxFirst = true
	}
	n := got.Shape()[1]
	want := s.reference(op.Type == "PriorBoxClustered", h, w, imageHeight, imageWidth, n)
	layertest.CheckNear(t, op, s.attributes(), ir.Shape{2, n}, want, 1e-4, inputs...)
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 300, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	pick := func(limit int, values ...float64) []float64 {
		var out []float64
		for range rng.IntN(limit + 1) {
			out = append(out, values[rng.IntN(len(values))])
		}
		return out
	}
	s := &settings{
		minSize: pick(3, 6, 7.5, 0.25), maxSize: pick(3, 12, 14.25), aspectRatio: pick(4, 1, 2, 0.5, 3, 0.25),
		variance: [][]float64{nil, {0.25}, {0.5, 1, 2, 4}}[rng.IntN(3)],
		flip:     rng.IntN(2) == 0, clip: rng.IntN(2) == 0, scaleAll: rng.IntN(3) > 0, maxFirst: rng.IntN(2) == 0,
		step: []float64{0, 4, 0.25, -1}[rng.IntN(4)], offset: float64(rng.IntN(3)) / 2,
		width: pick(3, 4, 5.5), stepW: float64(rng.IntN(2) * 3), stepH: float64(rng.IntN(2) * 5),
	}
	if rng.IntN(3) == 0 {
		s.fixedSize, s.fixedRatio = pick(3, 8, 5.5, 16), pick(2, 1, 2)
		for range s.fixedSize {
			s.density = append(s.density, float64(rng.IntN(4)), 2.5)
		}
		s.density = s.density[:len(s.fixedSize)]
	}
	for range s.width {
		s.height = append(s.height, float64(rng.IntN(9)))
	}
	op := &Ops[rng.IntN(3)]
	if s.priors(op) < 0 {
		return
	}
	s.check(t, op, rng.IntN(5), rng.IntN(5), 8+rng.IntN(40), 8+rng.IntN(40))
}

// priors returns the number of boxes of a point that the shape rule counts. It can be negative.
func (s *settings) priors(op *ops.Op) int64 {
	parsed, err := op.Attributes(ir.AttributesOf(&ir.Layer{Data: s.attributes().Data()}))
	if err != nil {
		return -1
	}
	if d := parsed.(attributes).priors; d.IsStatic() {
		return d.Min
	}
	return -1
}

// TestLarge has enough boxes for two threads, which meet inside of a point.
func TestLarge(t *testing.T) {
	s := &settings{minSize: []float64{6, 7}, maxSize: []float64{9}, aspectRatio: []float64{2, 3}, flip: true, scaleAll: true}
	s.check(t, layertest.Find(t, Ops, 8), 37, 41, 300, 311)
	s.fixedSize, s.density = []float64{8}, []float64{7}
	s.check(t, layertest.Find(t, Ops, 8), 37, 41, 300, 311)
	c := &settings{width: []float64{4, 5, 6}, height: []float64{7, 8, 9}, offset: 0.5, clip: true}
	c.check(t, &Ops[2], 67, 51, 300, 311)
}

func TestTypes(t *testing.T) {
	s := &settings{minSize: []float64{6}, scaleAll: true}
	for _, elementType := range []ir.ElementType{ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64} {
		s.check(t, &Ops[0], 2, 3, 50, 60, elementType, elementType)
	}
}

// TestBorders has results of OpenVINO.
func TestBorders(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name       string
		op         int
		attributes layertest.Attributes
		image      []int64
		want       []float64
	}{
		{"more boxes than the output", 0, layertest.Attributes{"min_size", "3", "fixed_size", "5.5", "density", "1"}, []int64{10, 10}, []float64{0.25, 0.25, 0.75, 0.75}},
		{"fewer boxes than the output", 0, layertest.Attributes{"min_size", "6", "max_size", "7,8"}, []int64{10, 10}, []float64{
			0.2, 0.2, 0.8, 0.8, 0.17596, 0.17596, 0.82404, 0.82404, 0, 0, 0, 0,
		}},
		{"image without height", 0, layertest.Attributes{"min_size", "6"}, []int64{0, 10}, []float64{0.2, -inf, 0.8, inf}},
		{"negative height", 0, layertest.Attributes{"min_size", "6", "clip", "true"}, []int64{-10, 10}, []float64{0.2, 0.8, 0.8, 0.2}},
		{"fraction of fixed_size", 0, layertest.Attributes{"fixed_size", "5.5", "density", "2"}, []int64{10, 10}, []float64{
			0.1, 0.1, 0.6, 0.6, 0.3, 0.1, 0.8, 0.6, 0.1, 0.3, 0.6, 0.8, 0.3, 0.3, 0.8, 0.8,
		}},
		{"ratio of 1", 0, layertest.Attributes{"min_size", "6", "aspect_ratio", "1,1.0000001"}, []int64{10, 10}, []float64{0.2, 0.2, 0.8, 0.8}},
		{"one of two steps", 2, layertest.Attributes{"width", "6", "height", "6", "step_w", "5", "clip", "false", "offset", "1"}, []int64{10, 10}, []float64{0.2, -0.3, 0.8, 0.3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := c.want
			for range c.want {
				want = append(want[:len(want):len(want)], 0.1)
			}
			layertest.CheckNear(t, &Ops[c.op], c.attributes, ir.Shape{2, len(c.want)}, want, 1e-5,
				layertest.Ints(t, ir.I64, ir.Shape{2}, 1, 1), layertest.Ints(t, ir.I64, ir.Shape{2}, c.image...))
		})
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		op          int
		attributes  layertest.Attributes
		size, image []int64
		want        string
	}{
		{0, layertest.Attributes{"min_size", "6"}, []int64{1, 1}, []int64{10, 10, 3}, "image_size has 3 numbers, expected 2"},
		{2, layertest.Attributes{"width", "6", "height", "6"}, []int64{1, 1}, []int64{}, "image_size has 0 numbers, expected 2"},
		{0, layertest.Attributes{"min_size", "6"}, []int64{1, 1}, []int64{1 << 31, 1}, "image_size is [2147483648 1], which does not fit 32 bits"},
		{0, layertest.Attributes{"min_size", "6", "variance", "1,2"}, []int64{1, 1}, []int64{1, 1}, "variance has 2 numbers, expected none, 1 or 4"},
		{2, layertest.Attributes{"width", "6", "height", "6", "variance", "1,2,-3,4"}, []int64{1, 1}, []int64{1, 1}, "variance[2] is negative: -3"},
		{1, layertest.Attributes{"min_size", "6", "aspect_ratio", "2,0"}, []int64{1, 1}, []int64{1, 1}, "aspect_ratio[1] is 0, expected a number above 0"},
		{1, layertest.Attributes{"min_size", "6", "aspect_ratio", "nan"}, []int64{1, 1}, []int64{1, 1}, "aspect_ratio[0] is NaN, expected a number above 0"},
		{1, layertest.Attributes{"fixed_size", "6", "density", "1", "fixed_ratio", "-1"}, []int64{1, 1}, []int64{1, 1}, "fixed_ratio[0] is -1, expected a number above 0"},
		{1, layertest.Attributes{"fixed_size", "6,7", "density", "1"}, []int64{1, 1}, []int64{1, 1}, "fixed_size has 2 numbers, density has 1"},
		{1, layertest.Attributes{"min_size", "6", "density", "1e30"}, []int64{1, 1}, []int64{1, 1}, "the number of boxes is not known: "},
		{1, layertest.Attributes{"min_size", "6", "density", "nan"}, []int64{1, 1}, []int64{1, 1}, "the number of boxes is not known: "},
	} {
		_, err := layertest.Run(&Ops[c.op], c.attributes, 1,
			layertest.Ints(t, ir.I64, ir.Shape{2}, c.size...), layertest.Ints(t, ir.I64, ir.Shape{len(c.image)}, c.image...))
		assert.ErrorContains(t, err, c.want)
	}
}

// TestStopped lays boxes and compares ratios that take long, with a stop that was requested before.
func TestStopped(t *testing.T) {
	stopped := make(chan struct{})
	close(stopped)
	many := strings.Repeat("2,3,", 1<<19) + "4"
	for _, attributes := range []layertest.Attributes{
		{"min_size", "6", "aspect_ratio", many},
		{"fixed_size", "6", "density", "3000"},
		{"fixed_size", many, "density", strings.Repeat("0,", 1<<20) + "3", "fixed_ratio", "2"},
		{"min_size", many, "aspect_ratio", "2"},
	} {
		parsed, err := Ops[0].Attributes(ir.AttributesOf(&ir.Layer{Data: attributes.Data()}))
		require.NoError(t, err)
		_, err = prepare(&ops.Preparation{
			Attributes: parsed, Stop: stopped,
			Inputs: []ir.Fact{
				{Tensor: layertest.Ints(t, ir.I64, ir.Shape{2}, 1, 1)}, {Tensor: layertest.Ints(t, ir.I64, ir.Shape{2}, 10, 10)},
			},
			Outputs: []ir.Fact{{Type: ir.F32, Shape: ir.StaticShape(2, 1<<26)}},
		})
		assert.ErrorIs(t, err, parallel.ErrStopped)
	}
}

// TestKernel_allocations has enough boxes for two threads.
func TestKernel_allocations(t *testing.T) {
	inputs := []*ir.Tensor{layertest.Ints(t, ir.I64, ir.Shape{2}, 60, 60), layertest.Ints(t, ir.I64, ir.Shape{2}, 10, 10)}
	layertest.CheckAllocations(t, &Ops[1], layertest.Attributes{"min_size", "6", "aspect_ratio", "2,3"}, inputs...)
	layertest.CheckAllocations(t, &Ops[2], layertest.Attributes{"width", "6,7,8", "height", "6,7,8"}, inputs...)
}
