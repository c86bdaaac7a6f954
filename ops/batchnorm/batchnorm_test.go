package batchnorm

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func facts(t *testing.T, elementType ir.ElementType, shapes ...string) []ir.Fact {
	t.Helper()
	list := make([]ir.Fact, len(shapes))
	for i, text := range shapes {
		s, err := ir.ParsePartialShape(text)
		require.NoError(t, err)
		list[i] = ir.Fact{Type: elementType, Shape: s}
	}
	return list
}

func attributesOf(t *testing.T, op *ops.Op) any {
	t.Helper()
	at, err := op.Attributes(ir.AttributesOf(&ir.Layer{Data: []ir.Attribute{{Name: "epsilon", Value: "0.5"}}}))
	require.NoError(t, err)
	return at
}

func TestInfer(t *testing.T) {
	for _, c := range []struct {
		shapes []string // of version 5
		want   string
	}{
		{[]string{"[2,3,4]", "[3]", "[3]", "[3]", "[3]"}, "[2,3,4]"},
		{[]string{"[?,?,?]", "[3]", "[?]", "[...]", "[1..4]"}, "[?,3,?]"},
		{[]string{"[?,2..5]", "[1..3]", "[?]", "[?]", "[?]"}, "[?,2..3]"},
		{[]string{"[...]", "[3]", "[3]", "[3]", "[3]"}, "[...]"},
	} {
		for i := range Ops {
			in := &ir.Inference{Attributes: attributesOf(t, &Ops[i]), Inputs: facts(t, ir.F32, c.shapes...), Outputs: make([]ir.Fact, 1)}
			if Ops[i].Version == 1 {
				f := in.Inputs
				in.Inputs = []ir.Fact{f[1], f[2], f[0], f[3], f[4]}
			}
			require.NoError(t, infer(in), "%v", c)
			assert.Equal(t, c.want, in.Outputs[0].Shape.String())
		}
	}
}

func TestInferRefuses(t *testing.T) {
	for _, c := range []struct {
		elementType ir.ElementType
		shapes      []string
		want        string
	}{
		{ir.F32, []string{"[2,3]", "[3]", "[3]", "[4]", "[3]"}, "input 3 has shape [4]"},
		{ir.F32, []string{"[2,3]", "[4]", "[4]", "[4]", "[4]"}, "axis 1 is not the length of the vectors, [4]"},
		{ir.F32, []string{"[3]", "[3]", "[3]", "[3]", "[3]"}, "no axis of channels"},
		{ir.F32, []string{"[2,3]", "[3,1]", "[3]", "[3]", "[3]"}, "input 1 has shape [3,1]"},
		{ir.I32, []string{"[2,3]", "[3]", "[3]", "[3]", "[3]"}, "the inputs are i32"},
	} {
		in := &ir.Inference{Attributes: attributesOf(t, &Ops[1]), Inputs: facts(t, c.elementType, c.shapes...), Outputs: make([]ir.Fact, 1)}
		assert.ErrorContains(t, infer(in), c.want)
	}
	for _, epsilon := range []string{"-1", "nan"} {
		_, err := Ops[1].Attributes(ir.AttributesOf(&ir.Layer{Data: []ir.Attribute{{Name: "epsilon", Value: epsilon}}}))
		assert.ErrorContains(t, err, "epsilon")
	}
}

func TestKernel(t *testing.T) {
	values := [5][]float64{{1, 2, 3, 4, 5, 6, 7, 8}, {2, -1}, {10, 20}, {1, 2}, {3.5, 0.5}} // data, gamma, beta, mean, variance
	want := make([]float64, 8)
	for i, v := range values[0] {
		c := i / 2 % 2
		want[i] = (v-values[3][c])/math.Sqrt(values[4][c]+0.5)*values[1][c] + values[2][c]
	}
	shapes := facts(t, ir.Dynamic, "[2,2,2]", "[2]", "[2]", "[2]", "[2]")
	for elementType, tolerance := range map[ir.ElementType]float64{ir.F64: 1e-12, ir.F32: 1e-5, ir.F16: 2e-2, ir.BF16: 0.2} {
		inputs := make([]*ir.Tensor, 5)
		for i := range inputs {
			shape, err := shapes[i].Shape.Static()
			require.NoError(t, err)
			inputs[i], err = ir.NewTensor(elementType, shape...)
			require.NoError(t, err)
			store(inputs[i], values[i])
		}
		out, err := ir.NewTensor(elementType, 2, 2, 2)
		require.NoError(t, err)
		p := &ops.Preparation{
			Attributes: attributesOf(t, &Ops[1]), Inputs: shapes,
			Outputs: []ir.Fact{{Type: elementType, Shape: shapes[0].Shape}},
		}
		kernel, err := prepare(p)
		require.NoError(t, err)
		require.NoError(t, kernel(&ops.Run{
			Inputs: inputs, Outputs: []*ir.Tensor{out}, Scratch: ir.AlignedBytes(p.ScratchBytes), Pool: parallel.New(1),
		}))
		for i, got := range load(out) {
			assert.InDelta(t, want[i], got, tolerance, "%v element %d", elementType, i)
		}
	}
}

func store(tensor *ir.Tensor, values []float64) {
	for i, v := range values {
		switch tensor.ElementType() {
		case ir.F64:
			ir.Data[float64](tensor)[i] = v
		case ir.F32:
			ir.Data[float32](tensor)[i] = float32(v)
		case ir.F16:
			ir.Data[uint16](tensor)[i] = half.F32ToF16(float32(v))
		case ir.BF16:
			ir.Data[half.BFloat16](tensor)[i] = half.BFloat16Of(float32(v))
		}
	}
}

func load(tensor *ir.Tensor) []float64 {
	values := make([]float64, tensor.Len())
	for i := range values {
		switch tensor.ElementType() {
		case ir.F64:
			values[i] = ir.Data[float64](tensor)[i]
		case ir.F32:
			values[i] = float64(ir.Data[float32](tensor)[i])
		case ir.F16:
			values[i] = float64(half.F16ToF32(ir.Data[uint16](tensor)[i]))
		case ir.BF16:
			values[i] = float64(ir.Data[half.BFloat16](tensor)[i].Float32())
		}
	}
	return values
}
