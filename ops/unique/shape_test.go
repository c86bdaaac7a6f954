package unique

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 10, Inputs: []string{"f32[2,3]"}, Want: "f32[1..6]"},
		{Version: 10, Inputs: []string{"f32[]"}, Want: "f32[1]"},
		{Version: 10, Inputs: []string{"f32[0,3]"}, Want: "f32[?]"},
		{Version: 10, Inputs: []string{"f32[?,3]"}, Want: "f32[?]"},
		{Version: 10, Attributes: layertest.Attributes{"sorted", "false"}, Inputs: []string{"string[2,3..4]", "i64[]=0"}, Want: "string[1..2,3..4]"},
		{Version: 10, Inputs: []string{"f32[2,3..4]", "i64[1]=-1"}, Want: "f32[2,1..4]"},
		{Version: 10, Inputs: []string{"f32[2,?]", "i64[1]=1"}, Want: "f32[2,?]"},
		{Version: 10, Inputs: []string{"f32[0,3]", "i64[1]=0"}, Want: "f32[0,3]"},
		{Version: 10, Inputs: []string{"f32[...]", "i64[1]=7"}, Want: "f32[...]"},
		{Version: 10, Inputs: []string{"f32[...]"}, Want: "f32[?]"},
		{Version: 10, Inputs: []string{"f32[2,3]", "i64[1]=2"}, Error: "axis 2 is outside [-2,1] for rank 2"},
		{Version: 10, Inputs: []string{"f32[2,3]", "i64[2]=0,1"}, Error: "axis has shape [2], not that of a scalar or of one element"},
		{Version: 10, Inputs: []string{"f32[2,3]", "i64[1]"}, Error: "axis is not a Constant"},
		{Version: 10, Inputs: []string{"f32[2,3]", "i8[1]=0"}, Error: "axis is i8, expected i32 or i64"},
		{Version: 10, Attributes: layertest.Attributes{"index_element_type", "u8"}, Inputs: []string{"f32[2,3]"}, Error: "attribute index_element_type: u8 is neither i32 nor i64"},
		{Version: 10, Attributes: layertest.Attributes{"count_element_type", "u8"}, Inputs: []string{"f32[2,3]"}, Error: "attribute count_element_type: u8 is neither i32 nor i64"},
	})
}

func TestOutputs(t *testing.T) {
	at := layertest.Attributes{"index_element_type", "i32"}
	for _, c := range []struct{ inputs, want []string }{
		{[]string{"f32[2,3]"}, []string{"f32[1..6]", "i32[1..6]", "i32[6]", "i64[1..6]"}},
		{[]string{"f32[2,3]", "i64[]=1"}, []string{"f32[2,1..3]", "i32[1..6]", "i32[3]", "i64[1..6]"}},
		{[]string{"f32[2,3..5]", "i64[]=1"}, []string{"f32[2,1..5]", "i32[?]", "i32[3..5]", "i64[?]"}},
		{[]string{"f32[2,0]", "i64[]=1"}, []string{"f32[2,0]", "i32[0]", "i32[0]", "i64[0]"}},
		{[]string{"f32[...]", "i64[]=1"}, []string{"f32[...]", "i32[?]", "i32[?]", "i64[?]"}},
	} {
		got, err := layertest.InferOutputs(t, &Ops[0], at, 4, c.inputs...)
		require.NoError(t, err, c.inputs)
		assert.Equal(t, c.want, got, c.inputs)
	}
}

// TestConstants has data that is a Constant, whose elements are counted.
func TestConstants(t *testing.T) {
	constant := &ir.Layer{Type: "Constant"}
	for _, c := range []struct {
		data *ir.Tensor
		axis []int64
		want []string
	}{
		{layertest.Ints(t, ir.I32, ir.Shape{2, 3}, 1, 2, 1, 3, 4, 3), nil, []string{"[4]", "[4]", "[6]", "[4]"}},
		{layertest.Ints(t, ir.I32, ir.Shape{2, 3}, 1, 2, 1, 3, 4, 3), []int64{1}, []string{"[2,2]", "[2]", "[3]", "[2]"}},
		{layertest.Ints(t, ir.I32, ir.Shape{2, 3}, 1, 2, 1, 1, 2, 1), []int64{-2}, []string{"[1,3]", "[1]", "[2]", "[1]"}},
		{layertest.Numbers(t, ir.F16, ir.Shape{3}, 0, math.Copysign(0, -1), 1), nil, []string{"[2]", "[2]", "[3]", "[2]"}},
		{layertest.Numbers(t, ir.F32, ir.Shape{3}, 0, math.Copysign(0, -1), 1), nil, []string{"[2]", "[2]", "[3]", "[2]"}},
		{layertest.Numbers(t, ir.F64, ir.Shape{3}, 0, math.Copysign(0, -1), 1), nil, []string{"[2]", "[2]", "[3]", "[2]"}},
		{spelled(t, []float64{1, 2, 1, 3, 1, 2}, ir.Shape{3, 2}), nil, []string{"[3]", "[3]", "[6]", "[3]"}},
		{spelled(t, []float64{1, 2, 1, 3, 1, 2}, ir.Shape{3, 2}), []int64{0}, []string{"[2,2]", "[2]", "[3]", "[2]"}},
		{layertest.Numbers(t, ir.F32, ir.Shape{}, 5), nil, []string{"[1]", "[1]", "[1]", "[1]"}},
		{layertest.Numbers(t, ir.F32, ir.Shape{0, 3}), []int64{1}, []string{"[0,1]", "[1]", "[3]", "[1]"}},
		{layertest.Numbers(t, ir.F32, ir.Shape{0, 3}), []int64{0}, []string{"[0,3]", "[0]", "[0]", "[0]"}},
		{layertest.Numbers(t, ir.F32, ir.Shape{0}), nil, []string{"[0]", "[0]", "[0]", "[0]"}},
	} {
		in := constantInference(constant, c.data, c.axis)
		require.NoError(t, infer(in))
		for i, want := range c.want {
			assert.Equal(t, want, in.Outputs[i].Shape.String(), "output %d of %v, axis %v", i, c.data.Shape(), c.axis)
		}
	}
	err := infer(constantInference(constant, layertest.Counted(t, ir.I4, 3), nil))
	assert.EqualError(t, err, "data is a Constant of i4, whose elements are not compared")
	err = infer(constantInference(constant, layertest.Ints(t, ir.I8, ir.Shape{1}, 1), []int64{1}))
	assert.EqualError(t, err, "axis 1 is outside [-1,0] for rank 1")
}

func constantInference(constant *ir.Layer, data *ir.Tensor, axis []int64) *ops.Inference {
	in := &ops.Inference{
		Layer:      &ir.Layer{Inputs: []ir.Input{{Source: constant}}},
		Attributes: attributes{true, ir.I64, ir.I64},
		Inputs:     []ir.Fact{{Type: data.ElementType(), Shape: data.Shape().Partial(), Tensor: data}},
		Outputs:    make([]ir.Fact, 4),
	}
	if axis != nil {
		in.Layer.Inputs = append(in.Layer.Inputs, ir.Input{Source: constant})
		in.Inputs = append(in.Inputs, ir.Fact{Type: ir.I64, Shape: ir.StaticShape(1), Values: []ir.Interval{{Min: axis[0], Max: axis[0]}}})
	}
	return in
}
