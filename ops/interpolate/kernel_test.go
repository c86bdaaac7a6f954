package interpolate

import (
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
	"github.com/vinoir/vinoir/ops"
)

// randomLayer returns a layer with random attributes and lengths.
func randomLayer(rng *rand.Rand) *layer {
	pick := func(words ...string) string { return words[rng.IntN(len(words))] }
	l := &layer{
		mode:        pick(pillowModes...),
		coordinates: pick("half_pixel", "pytorch_half_pixel", "asymmetric", "tf_half_pixel_for_nn", "align_corners"),
		nearest:     pick("round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple"),
		antialias:   rng.IntN(2) == 0, coeff: []float64{-0.75, -0.5, 0.25}[rng.IntN(3)],
	}
	for range 1 + rng.IntN(4) {
		n, begin, end := 1+rng.IntN(4), max(rng.IntN(6)-3, 0), max(rng.IntN(6)-3, 0)
		if begin+end > 0 && rng.IntN(8) == 0 {
			n = 0 // all of the axis is padding
		}
		l.image, l.begin, l.end = append(l.image, n), append(l.begin, begin), append(l.end, end)
	}
	for i := range l.image {
		l.output = append(l.output, l.begin[i]+l.image[i]+l.end[i])
	}
	l.axes = rng.Perm(len(l.image))[:rng.IntN(len(l.image)+1)]
	scaled := rng.IntN(2) == 0
	for _, axis := range l.axes {
		if scaled {
			scale := []float32{0.3, 0.5, 0.8, 1, 1.5, 2, 2.6}[rng.IntN(7)]
			l.scales = append(l.scales, scale)
			if scale != 1 {
				l.output[axis] = int(float32(l.output[axis]) * (scale + 1e-6))
			}
		} else {
			l.output[axis] = rng.IntN(7)
		}
	}
	return l
}

// run returns the output of the layer for an image.
func (l *layer) run(image *ir.Tensor) (*ir.Tensor, error) {
	at, inputs, err := l.inputs()
	if err != nil {
		return nil, err
	}
	return layertest.Run(&Ops[2], at, 2, append([]*ir.Tensor{image}, inputs...)...)
}

// inputs returns the attributes and the inputs after image.
func (l *layer) inputs() (layertest.Attributes, []*ir.Tensor, error) {
	calculation, lengths := "sizes", []float64{}
	axes, err := ir.NewTensor(ir.I64, len(l.axes))
	if err != nil {
		return nil, nil, err
	}
	for i, axis := range l.axes {
		ir.Data[int64](axes)[i] = int64(axis)
		lengths = append(lengths, float64(l.output[axis]))
	}
	sizes, err := ir.NewTensor(ir.I64, len(l.axes))
	if err != nil {
		return nil, nil, err
	}
	for i, n := range lengths {
		ir.Data[int64](sizes)[i] = int64(n)
	}
	if l.scales != nil {
		calculation = "scales"
		if sizes, err = ir.NewTensor(ir.F32, len(l.axes)); err != nil {
			return nil, nil, err
		}
		copy(ir.Data[float32](sizes), l.scales)
	}
	at := layertest.Attributes{
		"mode", l.mode, "shape_calculation_mode", calculation, "coordinate_transformation_mode", l.coordinates,
		"nearest_mode", l.nearest, "antialias", fmt.Sprint(l.antialias), "cube_coeff", fmt.Sprint(l.coeff),
		"pads_begin", layertest.List(l.begin), "pads_end", layertest.List(l.end),
	}
	return at, []*ir.Tensor{sizes, axes}, nil
}

func TestKernelAgainstReference(t *testing.T) {
	for seed := range uint64(150) {
		checkRandom(t, seed)
	}
}

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkRandom(t, seed) })
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	l := randomLayer(rng)
	values := make([]float64, l.image.Elements())
	for i := range values {
		values[i] = float64(10 + rng.IntN(80))
	}
	want := l.reference(values)
	at, inputs, err := l.inputs()
	require.NoError(t, err)
	for elementType, tolerance := range map[ir.ElementType]float64{
		ir.F64: 2e-4, ir.F32: 1e-3, ir.F16: 0.3, ir.BF16: 2, ir.I8: 0.51, ir.U8: 0.51, ir.I32: 0.51, ir.I64: 0.51,
	} {
		expected := slices.Clone(want)
		if lo, hi, ok := elementType.Limits(); ok {
			if strings.HasSuffix(l.mode, "pillow") {
				expected = l.roundedReference(values, float64(lo), float64(hi))
				tolerance = 2 // a tie after the first axis can be rounded up or down
			}
			for i, v := range expected {
				expected[i] = math.Max(float64(lo), math.Min(v, float64(hi)))
			}
		}
		layertest.CheckNear(t, &Ops[2], at, l.output, expected, tolerance, append([]*ir.Tensor{layertest.Numbers(t, elementType, l.image, values...)}, inputs...)...)
	}
}

func TestKernel(t *testing.T) {
	type at = layertest.Attributes
	line := func(mode string, more ...string) at {
		return append(at{"mode", mode, "shape_calculation_mode", "sizes"}, more...)
	}
	nan := math.NaN()
	for name, c := range map[string]struct {
		at    layertest.Attributes
		t     ir.ElementType
		image []float64
		n     int64
		want  []float64
	}{
		"nearest":        {line("nearest"), ir.F32, []float64{1, 2, 3}, 6, []float64{1, 1, 2, 2, 3, 3}},
		"nearest NaN":    {line("nearest", "pads_begin", "1"), ir.F32, []float64{nan, 2, 3}, 4, []float64{0, nan, 2, 3}},
		"simple down":    {line("nearest", "nearest_mode", "simple", "coordinate_transformation_mode", "asymmetric"), ir.I32, []float64{0, 1, 2, 3, 4}, 2, []float64{0, 3}},
		"linear to one":  {line("linear", "coordinate_transformation_mode", "pytorch_half_pixel"), ir.F32, []float64{7, 8, 9}, 1, []float64{7}},
		"linear u8":      {line("linear_onnx"), ir.U8, []float64{100, 3, 7, 255}, 7, []float64{100, 65, 10, 5, 25, 166, 255}},
		"cubic u8":       {line("cubic"), ir.U8, []float64{100, 3, 7, 255}, 7, []float64{110, 67, 8, 0, 21, 171, 255}},
		"cubic i32":      {line("cubic"), ir.I32, []float64{100, 3, 7, 255}, 7, []float64{110, 67, 8, -27, 21, 171, 280}},
		"antialias":      {line("linear", "antialias", "true"), ir.F64, []float64{0, 1, 2, 3, 4, 5, 6, 7}, 2, []float64{6.625 / 3.5, 7 - 6.625/3.5}},
		"padding is not": {line("linear", "pads_begin", "2"), ir.F32, []float64{math.Inf(1), 2}, 4, []float64{0, 0, math.Inf(1), 2}},
		"infinity apart": {line("linear_onnx", "pads_begin", "3"), ir.F32, []float64{math.Inf(1)}, 2, []float64{0, math.Inf(1)}},
		"same length":    {line("cubic"), ir.F32, []float64{1, 2, 3}, 3, []float64{1, 2, 3}},
		"no element":     {line("cubic"), ir.F32, []float64{1, 2, 3}, 0, []float64{}},
		"bilinear_pillow": {line("bilinear_pillow"), ir.F64, []float64{0, 1, 2, 3}, 2, []float64{
			(0*1 + 1*1 + 2*1.0/3) / (1 + 1 + 1.0/3), (3*1 + 2*1 + 1*1.0/3) / (1 + 1 + 1.0/3),
		}},
	} {
		out, err := layertest.Run(&Ops[2], c.at, 1, layertest.Numbers(t, c.t, ir.Shape{len(c.image)}, c.image...), layertest.Ints(t, ir.I64, ir.Shape{1}, c.n))
		require.NoError(t, err, name)
		got := layertest.Floats(t, out)
		require.Len(t, got, len(c.want), name)
		for i, want := range c.want {
			assert.True(t, got[i] == want || math.Abs(got[i]-want) < 1e-6 || math.IsNaN(got[i]) && math.IsNaN(want), "%s: element %d is %v, want %v", name, i, got[i], want)
		}
	}
}

// TestKernel_bits has cubic in five dimensions, for which OpenVINO keeps the low bits.
func TestKernel_bits(t *testing.T) {
	out, err := layertest.Run(&Ops[2], layertest.Attributes{"mode", "cubic", "shape_calculation_mode", "sizes"}, 1,
		layertest.Numbers(t, ir.U8, ir.Shape{1, 1, 1, 1, 4}, 100, 3, 7, 255), layertest.Ints(t, ir.I64, ir.Shape{5}, 1, 1, 1, 1, 7))
	require.NoError(t, err)
	assert.Equal(t, []float64{109, 66, 8, 229, 21, 170, 23}, layertest.Floats(t, out)[:7])
}

// TestVersion1 checks that version 1 uses asymmetric for axes 2 and 3 of four, and half_pixel
// for other axes.
func TestVersion1(t *testing.T) {
	image := []float64{0, 4}
	for name, c := range map[string]struct {
		at    layertest.Attributes
		shape ir.Shape
		want  []float64
	}{
		"of four":       {layertest.Attributes{"axes", "2,3", "mode", "linear", "align_corners", "false"}, ir.Shape{1, 1, 1, 2}, []float64{0, 2, 4, 4}},
		"of three":      {layertest.Attributes{"axes", "1,2", "mode", "linear", "align_corners", "false"}, ir.Shape{1, 1, 2}, []float64{0, 1, 3, 4}},
		"align_corners": {layertest.Attributes{"axes", "2,3", "mode", "linear"}, ir.Shape{1, 1, 1, 2}, []float64{0, 4.0 / 3, 8.0 / 3, 4}},
		"nearest":       {layertest.Attributes{"axes", "2,3", "mode", "nearest", "align_corners", "false"}, ir.Shape{1, 1, 1, 2}, []float64{0, 0, 4, 4}},
	} {
		out, err := layertest.Run(&Ops[0], c.at, 1, layertest.Numbers(t, ir.F32, c.shape, image...), layertest.Ints(t, ir.I64, ir.Shape{2}, 1, 4))
		require.NoError(t, err, name)
		assert.InDeltaSlice(t, c.want, layertest.Floats(t, out), 1e-6, name)
	}
	_, err := layertest.Run(&Ops[0], layertest.Attributes{"axes", "0", "mode", "area"}, 1, layertest.Numbers(t, ir.F32, ir.Shape{2}), layertest.Ints(t, ir.I64, ir.Shape{1}, 1))
	require.EqualError(t, err, `mode "area" has no kernel`)
}

// TestKernel_padding resizes an image that consists of its padding.
func TestKernel_padding(t *testing.T) {
	for _, mode := range append([]string{"nearest"}, pillowModes...) {
		for _, elementType := range []ir.ElementType{ir.F32, ir.U8, ir.F16} {
			at := layertest.Attributes{"mode", mode, "shape_calculation_mode", "sizes", "pads_begin", "0,0,0,1"}
			out, err := layertest.Run(layertest.Find(t, Ops, 11), at, 2, layertest.Numbers(t, elementType, ir.Shape{1, 2, 3, 0}),
				layertest.Ints(t, ir.I64, ir.Shape{2}, 5, 4), layertest.Ints(t, ir.I64, ir.Shape{2}, 2, 3))
			require.NoError(t, err, mode)
			require.Equal(t, make([]float64, 40), layertest.Floats(t, out), "%s of %v", mode, elementType)
		}
	}
}

func TestPrepare_errors(t *testing.T) {
	at := layertest.Attributes{"mode", "linear", "shape_calculation_mode", "sizes"}
	_, err := layertest.Run(&Ops[2], at, 1, layertest.Numbers(t, ir.F32, ir.Shape{0}), layertest.Ints(t, ir.I64, ir.Shape{1}, 2))
	require.EqualError(t, err, "image [0] has no elements for output [2]")
	wide := &axis{input: 4096, padded: 4096, output: 4095, scale: 1e-3}
	_, err = newTable[float32](&attributes{mode: "linear", coordinates: "align_corners"}, wide, true, &ops.Preparation{})
	require.EqualError(t, err, "an axis of 4096 elements for one of 4095: a scale of 0.001 takes too many of them")
	far := &axis{input: 4096, padded: 4096, output: 4095, scale: 1e-5}
	_, err = newTable[float32](&attributes{mode: "linear", coordinates: "asymmetric"}, far, true, &ops.Preparation{})
	require.EqualError(t, err, "an axis of 4096 elements for one of 4095: a scale of 1e-05 takes too many of them")
}
