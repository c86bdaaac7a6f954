package convolutionbackpropdata

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// layer is a random layer. Its lists have one element for each spatial axis.
type layer struct {
	op                                         *ops.Op
	data, filters                              ir.Shape // filters always have an axis of groups
	strides, dilations, begin, end, outPadding []int
	autoPad                                    string
	outputShape                                []int
}

// pad returns the number of elements that are cut off in front along spatial axis i.
func (l *layer) pad(i int) int {
	spread := l.strides[i]*(l.data[2+i]-1) + l.dilations[i]*(l.filters[3+i]-1) + 1 + l.outPadding[i]
	switch {
	case l.autoPad == "explicit":
		return l.begin[i]
	case l.autoPad == "valid" || l.outputShape == nil || l.data.Elements() == 0:
		return 0
	case l.autoPad == "same_upper":
		return (max(spread-l.outputShape[i], 0) + 1) / 2
	}
	return max(spread-l.outputShape[i], 0) / 2
}

// reference spreads data element by element.
func (l *layer) reference(data, filters []float64, output ir.Shape) []float64 {
	out := make([]float64, output.Elements())
	perGroup, inChannels := l.filters[2], l.filters[1]
	for i := range data {
		from := index.Position(i, l.data)
		group, c := from[1]/inChannels, from[1]%inChannels
		for k := range ir.Shape(l.filters[2:]).Elements() {
			at := index.Position(k, ir.Shape(l.filters[2:])) // o, kernel...
			to, outside := from[0]*output[1]+group*perGroup+at[0], false
			for j := range l.strides {
				y := from[2+j]*l.strides[j] + at[1+j]*l.dilations[j] - l.pad(j)
				outside = outside || y < 0 || y >= output[2+j]
				to = to*output[2+j] + y
			}
			if !outside {
				filter := (group*inChannels+c)*ir.Shape(l.filters[2:]).Elements() + k
				out[to] += data[i] * filters[filter]
			}
		}
	}
	return out
}

func TestKernelAgainstReference(t *testing.T) {
	accepted := 0
	for seed := range uint64(300) {
		accepted += checkRandom(t, seed)
	}
	assert.Greater(t, accepted, 900)
}

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkRandom(t, seed) })
}

// checkRandom compares a random layer with the reference, and returns how many element types the
// shape rule accepts for it.
func checkRandom(t *testing.T, seed uint64) int {
	rng := rand.New(rand.NewPCG(seed, 5))
	n, groups, channels := 1+rng.IntN(3), 1+rng.IntN(3), rng.IntN(7)
	l := &layer{
		op: &Ops[rng.IntN(2)], strides: layertest.RandomInts(rng, 1, 3, n), dilations: layertest.RandomInts(rng, 1, 2, n),
		begin: layertest.RandomInts(rng, -1, 2, n), end: layertest.RandomInts(rng, -1, 2, n), outPadding: layertest.RandomInts(rng, 0, 2, n),
		autoPad: []string{"explicit", "same_upper", "same_lower", "valid"}[rng.IntN(4)],
	}
	if l.op.Type == "ConvolutionBackpropData" {
		groups = 1
	} else {
		channels = 1 + channels/2
	}
	l.data = append(ir.Shape{rng.IntN(3), groups * channels}, layertest.RandomInts(rng, 0, 4, n)...)
	l.filters = append(ir.Shape{groups, channels, rng.IntN(4)}, layertest.RandomInts(rng, 1, 3, n)...)
	if rng.IntN(2) == 0 {
		l.outputShape = layertest.RandomInts(rng, 0, 8, n)
	}
	accepted := 0
	for elementType, tolerance := range map[ir.ElementType]float64{ir.F64: 0, ir.F32: 0, ir.F16: 0, ir.BF16: 1, ir.I32: 0, ir.I64: 0} {
		if l.check(t, rng, elementType, tolerance) {
			accepted++
		}
	}
	return accepted
}

// check compares the layer with the reference on whole numbers, which are exact in f32 and f16. It
// returns false if the pads cut off the whole output.
func (l *layer) check(t *testing.T, rng *rand.Rand, elementType ir.ElementType, tolerance float64) bool {
	t.Helper()
	at := layertest.Attributes{
		"strides", layertest.List(l.strides), "dilations", layertest.List(l.dilations), "pads_begin", layertest.List(l.begin),
		"pads_end", layertest.List(l.end), "auto_pad", l.autoPad, "output_padding", layertest.List(l.outPadding),
	}
	filters := l.filters
	if l.op.Type == "ConvolutionBackpropData" {
		filters = filters[1:]
	}
	inputs := []*ir.Tensor{wholeNumbers(t, rng, elementType, l.data), wholeNumbers(t, rng, elementType, filters)}
	for i := range l.strides {
		spread := l.strides[i]*(l.data[2+i]-1) + l.dilations[i]*(l.filters[3+i]-1) + 1 + l.outPadding[i]
		if l.autoPad == "explicit" {
			spread -= l.begin[i] + l.end[i]
		}
		if l.outputShape == nil && (spread < 0 || l.data[2+i] == 0) {
			return false
		}
	}
	if l.outputShape != nil {
		values := make([]int64, len(l.outputShape))
		for i, v := range l.outputShape {
			values[i] = int64(v)
		}
		inputs = append(inputs, layertest.Ints(t, ir.I64, ir.Shape{len(values)}, values...))
	}
	out, err := layertest.Run(l.op, at, 2, inputs...)
	require.NoError(t, err)
	want := l.reference(layertest.Floats(t, inputs[0]), layertest.Floats(t, inputs[1]), out.Shape())
	layertest.CheckNear(t, l.op, at, out.Shape(), want, tolerance, inputs...)
	return true
}

func wholeNumbers(t *testing.T, rng *rand.Rand, elementType ir.ElementType, shape ir.Shape) *ir.Tensor {
	return layertest.Numbers(t, elementType, shape, layertest.RandomNumbers(rng, 3, 1, shape.Elements())...)
}

// TestKernel has results of OpenVINO's CPU plugin.
func TestKernel(t *testing.T) {
	type at = layertest.Attributes
	for name, c := range map[string]struct {
		at     layertest.Attributes
		length int64 // the element of output_shape; 0 if that input is missing
		want   []float64
	}{
		"plain":            {nil, 0, []float64{1, 10, 102, 20, 203, 30, 300}},
		"cut":              {at{"pads_begin", "1", "pads_end", "2"}, 0, []float64{10, 102, 20, 203}},
		"output_padding":   {at{"output_padding", "3"}, 0, []float64{1, 10, 102, 20, 203, 30, 300, 0, 0, 0}},
		"shorter":          {nil, 5, []float64{1, 10, 102, 20, 203}},
		"longer":           {at{"pads_begin", "1"}, 9, []float64{10, 102, 20, 203, 30, 300, 0, 0, 0}},
		"valid":            {at{"auto_pad", "valid", "pads_begin", "1"}, 6, []float64{1, 10, 102, 20, 203, 30}},
		"same_upper":       {at{"auto_pad", "same_upper"}, 6, []float64{10, 102, 20, 203, 30, 300}},
		"same_lower":       {at{"auto_pad", "same_lower"}, 6, []float64{1, 10, 102, 20, 203, 30}},
		"same_lower more":  {at{"auto_pad", "same_lower", "output_padding", "1"}, 6, []float64{10, 102, 20, 203, 30, 300}},
		"same_upper alone": {at{"auto_pad", "same_upper", "pads_begin", "2"}, 0, []float64{1, 10, 102, 20, 203, 30, 300}},
	} {
		inputs := []*ir.Tensor{
			layertest.Numbers(t, ir.F32, ir.Shape{1, 1, 3}, 1, 2, 3),
			layertest.Numbers(t, ir.F32, ir.Shape{1, 1, 3}, 1, 10, 100),
		}
		if c.length != 0 {
			inputs = append(inputs, layertest.Ints(t, ir.I32, ir.Shape{1}, c.length))
		}
		out, err := layertest.Run(&Ops[0], append(at{"strides", "2"}, c.at...), 2, inputs...)
		require.NoError(t, err, name)
		assert.Equal(t, c.want, layertest.Floats(t, out), name)
	}
}

// TestPrepare_nothing has filters with no input channel and a kernel length that is not backed by
// any data.
func TestPrepare_nothing(t *testing.T) {
	w, err := parse(ir.AttributesOf(&ir.Layer{Data: []ir.Attribute{{Name: "strides", Value: "1"}, {Name: "dilations", Value: "1"}, {Name: "auto_pad", Value: "valid"}}}))
	require.NoError(t, err)
	out := layertest.Numbers(t, ir.F32, ir.Shape{1, 2, 4}, 1, 2, 3, 4, 5, 6, 7, 8)
	prepared, err := prepare(&ops.Preparation{
		Attributes: w,
		Inputs:     []ir.Fact{layertest.Fact(t, "f32[1,0,4]"), layertest.Fact(t, "f32[0,2,67108864]"), layertest.Fact(t, "i64[1]=4")},
		Outputs:    []ir.Fact{layertest.Fact(t, "f32[1,2,4]")},
		Stages:     []ops.Stage{{Apply: func(_ *ops.Run, x []float32, at int) { x[0]++ }}},
	})
	require.NoError(t, err)
	inputs := []*ir.Tensor{layertest.Numbers(t, ir.F32, ir.Shape{1, 0, 4}), layertest.Numbers(t, ir.F32, ir.Shape{0, 2, 1 << 26})}
	require.NoError(t, prepared.Kernel(&ops.Run{Inputs: inputs, Outputs: []*ir.Tensor{out}}))
	require.Equal(t, []float64{1, 0, 0, 0, 0, 0, 0, 0}, layertest.Floats(t, out))
}

// TestPrepare_wide needs padding that overflows an int.
func TestPrepare_wide(t *testing.T) {
	fact := func(text string) ir.Fact { return layertest.Fact(t, text) }
	w, err := parse(ir.AttributesOf(&ir.Layer{Data: []ir.Attribute{
		{Name: "strides", Value: "1073741824"}, {Name: "dilations", Value: "1"}, {Name: "auto_pad", Value: "same_upper"},
	}}))
	require.NoError(t, err)
	_, err = prepare(&ops.Preparation{
		Attributes: w,
		Inputs:     []ir.Fact{fact("f32[1,1,1099511627776]"), fact("f32[1,1,3]"), fact("i64[1]=5")},
		Outputs:    []ir.Fact{fact("f32[1,1,5]")},
	})
	require.Error(t, err)
}
