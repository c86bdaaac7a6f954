package pooling

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// opOf returns the revision of a type of a version.
func opOf(t *testing.T, name string) *ops.Op {
	t.Helper()
	for i := range Ops {
		if Ops[i].String() == name {
			return &Ops[i]
		}
	}
	require.Fail(t, "no such type", name)
	return nil
}

// inferLayer infers a layer with pairs of attribute names and values.
func inferLayer(t *testing.T, name, data string, elementType ir.ElementType, outputs int, pairs ...string) (*ir.Inference, error) {
	t.Helper()
	layer := &ir.Layer{}
	for i := 0; i < len(pairs); i += 2 {
		layer.Data = append(layer.Data, ir.Attribute{Name: pairs[i], Value: pairs[i+1]})
	}
	at, err := opOf(t, name).Attributes(ir.AttributesOf(layer))
	if err != nil {
		return nil, err
	}
	s, err := ir.ParsePartialShape(data)
	require.NoError(t, err)
	in := &ir.Inference{
		Layer: layer, Attributes: at, Inputs: []ir.Fact{{Type: elementType, Shape: s}}, Outputs: make([]ir.Fact, outputs),
	}
	return in, infer(in)
}

func TestInfer(t *testing.T) {
	for _, c := range []struct {
		data       string
		attributes []string
		want       string
	}{
		{"[1,2,5,5]", []string{"kernel", "2,2", "strides", "2,2"}, "[1,2,2,2]"},
		{"[1,2,5,5]", []string{"kernel", "2,2", "strides", "2,2", "rounding_type", "ceil"}, "[1,2,3,3]"},
		{"[?,2,?]", []string{"kernel", "3", "rounding_type", "ceil_torch"}, "[?,2,1..]"},
		{"[1,1..3,4..6]", []string{"kernel", "3"}, "[1,1..3,2..4]"},
		{"[1,2,?]", []string{"kernel", "3", "auto_pad", "same_upper"}, "[1,2,?]"},
		{"[1,2,6]", []string{"kernel", "1", "strides", "2", "auto_pad", "same_upper", "rounding_type", "ceil"}, "[1,2,4]"},
		{"[...]", []string{"kernel", "3,3"}, "[?,?,?,?]"},
	} {
		in, err := inferLayer(t, "MaxPool-14", c.data, ir.F32, 2, c.attributes...)
		require.NoError(t, err, "%v", c)
		assert.Equal(t, c.want, in.Outputs[0].Shape.String(), "%v", c)
		assert.Equal(t, c.want, in.Outputs[1].Shape.String(), "%v", c)
		assert.Equal(t, ir.I64, in.Outputs[1].Type)
	}
}

func TestInferRefuses(t *testing.T) {
	for _, c := range []struct {
		name, data  string
		elementType ir.ElementType
		attributes  []string
		want        string
	}{
		{"MaxPool-1", "[1,2,5]", ir.F32, nil, "kernel has 0 elements for 1 spatial axes"},
		{"MaxPool-1", "[1,2,5]", ir.F32, []string{"kernel", "0"}, "kernel: 0 is outside"},
		{"MaxPool-1", "[1,2,5]", ir.F32, []string{"kernel", "6"}, "window of 6 elements"},
		{"MaxPool-1", "[1,2]", ir.F32, []string{"kernel", "1"}, "a rank from 3 to 5"},
		{"MaxPool-1", "[1,2,5]", ir.Boolean, []string{"kernel", "1"}, "data is boolean"},
		{"AvgPool-1", "[1,2,5]", ir.I32, []string{"kernel", "1"}, "data is i32"},
		{"AvgPool-1", "[1,2,5]", ir.F32, []string{"kernel", "1", "rounding_type", "ceil_torch"}, "rounding_type"},
		{"MaxPool-8", "[1,2,5]", ir.F32, []string{"kernel", "1", "axis", "3"}, "axis 3 is outside"},
		{"MaxPool-8", "[1,2,5]", ir.F32, []string{"kernel", "1", "index_element_type", "u8"}, "neither i64 nor i32"},
	} {
		_, err := inferLayer(t, c.name, c.data, c.elementType, 1, c.attributes...)
		assert.ErrorContains(t, err, c.want)
	}
	_, err := inferLayer(t, "MaxPool-1", "[1,2,5]", ir.F32, 2, "kernel", "1")
	assert.ErrorContains(t, err, "2 outputs in the file")
}

// reference pools by the definition, coordinate by coordinate.
func reference(g *geometry, mean bool, lowest float64, data []float64) (values []float64, places []int64) {
	z, y, x := &g.axes[0], &g.axes[1], &g.axes[2]
	for i := range g.planes * g.outputPlane() {
		ox, oy, oz := i%x.Output, i/x.Output%y.Output, i/x.Output/y.Output%z.Output
		plane := i / g.outputPlane()
		best, place, total, inside, padded := lowest, -1, 0.0, 0, 0
		for k := range z.Kernel * y.Kernel * x.Kernel {
			ix := ox*x.Stride + k%x.Kernel*x.Dilation - x.PadBegin
			iy := oy*y.Stride + k/x.Kernel%y.Kernel*y.Dilation - y.PadBegin
			iz := oz*z.Stride + k/x.Kernel/y.Kernel*z.Dilation - z.PadBegin
			if ix < x.Input+x.PadEnd && iy < y.Input+y.PadEnd && iz < z.Input+z.PadEnd {
				padded++
			}
			if ix < 0 || iy < 0 || iz < 0 || ix >= x.Input || iy >= y.Input || iz >= z.Input {
				continue
			}
			at := (iz*y.Input+iy)*x.Input + ix
			v := data[plane*g.inputPlane()+at]
			if inside++; v > best || place < 0 {
				best, place = v, at
			}
			total += v
		}
		if !mean {
			values, places = append(values, best), append(places, int64(g.placeOf(plane)+max(place, 0)))
			continue
		}
		if !g.excludePad {
			inside = padded
		}
		values = append(values, total/float64(max(inside, 1)))
	}
	return values, places
}

func TestKernelAgainstReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	list := func(lo, hi int) string { return fmt.Sprint(lo+rng.IntN(hi-lo+1), ",", lo+rng.IntN(hi-lo+1)) }
	accepted := 0
	for range 600 {
		name := []string{"MaxPool-14", "AvgPool-16"}[rng.IntN(2)]
		elementType := []ir.ElementType{ir.F64, ir.F32, ir.F16, ir.BF16, ir.I8, ir.U8, ir.I32, ir.I64}[rng.IntN(8)]
		in, err := inferLayer(t, name, fmt.Sprintf("2,%d,%s", 1+rng.IntN(2), list(1, 6)), elementType, 1,
			"kernel", list(1, 3), "strides", list(1, 3), "dilations", list(1, 2), "pads_begin", list(0, 2), "pads_end", list(0, 2),
			"rounding_type", []string{"floor", "ceil", "ceil_torch"}[rng.IntN(3)],
			"auto_pad", []string{"explicit", "explicit", "same_upper", "same_lower", "valid"}[rng.IntN(5)],
			"exclude-pad", []string{"true", "false"}[rng.IntN(2)], "axis", fmt.Sprint(rng.IntN(3)),
			"index_element_type", []string{"i32", "i64"}[rng.IntN(2)])
		if err != nil {
			continue // the window does not fit, or the type has no mean
		}
		accepted++
		checkKernel(t, rng, in, name == "AvgPool-16", elementType)
	}
	assert.Greater(t, accepted, 150)
}

// checkKernel compares small whole numbers, which every type holds.
func checkKernel(t *testing.T, rng *rand.Rand, in *ir.Inference, mean bool, elementType ir.ElementType) {
	t.Helper()
	at := in.Attributes.(*attributes)
	shape, err := in.Inputs[0].Shape.Static()
	require.NoError(t, err)
	outShape, err := in.Outputs[0].Shape.Static()
	require.NoError(t, err)
	data, err := ir.NewTensor(elementType, shape...)
	require.NoError(t, err)
	values := make([]float64, data.Len())
	for i := range values {
		values[i] = float64(rng.IntN(9))
		set(data, i, values[i])
	}
	outputs := []*ir.Tensor{nil}
	outputs[0], err = ir.NewTensor(elementType, outShape...)
	require.NoError(t, err)
	if !mean {
		places, err := ir.NewTensor(at.indexType, outShape...)
		require.NoError(t, err)
		outputs = append(outputs, places)
	}
	p := &ops.Preparation{Attributes: at, Inputs: in.Inputs, Outputs: in.Outputs}
	kernel, err := prepare(p)
	require.NoError(t, err)
	require.NoError(t, kernel(&ops.Run{
		Inputs: []*ir.Tensor{data}, Outputs: outputs, Scratch: ir.AlignedBytes(p.ScratchBytes), Pool: parallel.New(2),
	}))
	g, err := newGeometry(at, shape, outShape)
	require.NoError(t, err)
	want, places := reference(g, mean, lowestOf(elementType), values)
	tolerance := map[ir.ElementType]float64{ir.F32: 1e-6, ir.F64: 1e-12, ir.F16: 1e-2, ir.BF16: 5e-2}[elementType]
	for i, w := range want {
		got := get(outputs[0], i)
		if w != got {
			require.InDelta(t, w, got, tolerance, "%v %+v element %d", elementType, *g, i)
		}
	}
	if !mean {
		got, err := outputs[1].Ints()
		require.NoError(t, err)
		assert.Equal(t, places, got, "%+v", *g)
	}
}

func lowestOf(t ir.ElementType) float64 {
	return map[ir.ElementType]float64{
		ir.F64: -math.MaxFloat64, ir.F32: -math.MaxFloat32, ir.F16: -maxF16, ir.BF16: -maxBF16,
		ir.I8: math.MinInt8, ir.I32: math.MinInt32, ir.I64: math.MinInt64,
	}[t]
}

func TestMaxPoolKeepsNaN(t *testing.T) {
	in, err := inferLayer(t, "MaxPool-1", "[1,1,3]", ir.F32, 1, "kernel", "3")
	require.NoError(t, err)
	kernel, err := prepare(&ops.Preparation{Attributes: in.Attributes, Inputs: in.Inputs, Outputs: in.Outputs})
	require.NoError(t, err)
	for _, data := range [][]float32{{1, float32(math.NaN()), 5}, {float32(math.NaN()), 1, 2}, {1, 2, float32(math.NaN())}} {
		tensor, err := ir.TensorOf(ir.F32, ir.Shape{1, 1, 3}, data)
		require.NoError(t, err)
		out := []float32{0}
		output, err := ir.TensorOf(ir.F32, ir.Shape{1, 1, 1}, out)
		require.NoError(t, err)
		require.NoError(t, kernel(&ops.Run{Inputs: []*ir.Tensor{tensor}, Outputs: []*ir.Tensor{output}}))
		assert.True(t, math.IsNaN(float64(out[0])), "%v gives %v", data, out[0])
	}
}

func set(t *ir.Tensor, i int, v float64) {
	switch t.ElementType() {
	case ir.F64:
		ir.Data[float64](t)[i] = v
	case ir.F32:
		ir.Data[float32](t)[i] = float32(v)
	case ir.F16:
		ir.Data[uint16](t)[i] = half.F32ToF16(float32(v))
	case ir.BF16:
		ir.Data[half.BFloat16](t)[i] = half.BFloat16Of(float32(v))
	case ir.I8, ir.U8:
		ir.Data[uint8](t)[i] = uint8(v)
	case ir.I32:
		ir.Data[int32](t)[i] = int32(v)
	case ir.I64:
		ir.Data[int64](t)[i] = int64(v)
	}
}

func get(t *ir.Tensor, i int) float64 {
	switch t.ElementType() {
	case ir.F64:
		return ir.Data[float64](t)[i]
	case ir.F32:
		return float64(ir.Data[float32](t)[i])
	case ir.F16:
		return float64(half.F16ToF32(ir.Data[uint16](t)[i]))
	case ir.BF16:
		return float64(ir.Data[half.BFloat16](t)[i].Float32())
	}
	ints, _ := t.Ints()
	return float64(ints[i])
}
