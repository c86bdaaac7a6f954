package nonzero

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
	i32 := layertest.Attributes{"output_type", "i32"}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 3, Inputs: []string{"f32[2,3]"}, Want: "i64[2,..6]"},
		{Version: 3, Attributes: i32, Inputs: []string{"string[2,3..5,4]"}, Want: "i32[3,..40]"},
		{Version: 3, Inputs: []string{"f32[2,?]"}, Want: "i64[2,?]"},
		{Version: 3, Inputs: []string{"f32[0,?]"}, Want: "i64[2,0]"},
		{Version: 3, Inputs: []string{"f32[4611686018427387904,2]"}, Want: "i64[2,?]"},
		{Version: 3, Inputs: []string{"f32[]"}, Want: "i64[?,?]"},
		{Version: 3, Inputs: []string{"f32[...]"}, Want: "i64[?,?]"},
		{Version: 3, Inputs: []string{"i64[3]=5,0,-1"}, Want: "i64[1,2]"},
		{Version: 3, Inputs: []string{"i64[2,2]=0,0,0,0"}, Want: "i64[2,0]"},
		{Version: 3, Inputs: []string{"i64[]=0"}, Want: "i64[0,0]"},
		{Version: 3, Inputs: []string{"i64[]=7"}, Want: "i64[1,1]"},
		{Version: 3, Inputs: []string{"i64[2]=1,0..1"}, Want: "i64[1,..2]"},
		{Version: 3, Attributes: layertest.Attributes{"output_type", "u8"}, Inputs: []string{"f32[2]"},
			Error: "attribute output_type: u8 is neither i32 nor i64"},
	})
}

func TestConstants(t *testing.T) {
	for _, c := range []struct {
		tensor *ir.Tensor
		want   string
	}{
		{layertest.Numbers(t, ir.F32, ir.Shape{4}, 0, math.Copysign(0, -1), math.NaN(), 2), "[1,2]"},
		{layertest.Numbers(t, ir.F16, ir.Shape{2, 2}, 0, math.Copysign(0, -1), math.Inf(1), 0), "[2,1]"},
		{layertest.Ints(t, ir.Boolean, ir.Shape{3}, 1, 0, 1), "[1,2]"},
		{layertest.Ints(t, ir.U64, ir.Shape{}, 1), "[1,1]"},
		{layertest.Counted(t, ir.I4, 3), "[1,..3]"}, // a type that the kernel does not support
	} {
		in := &ops.Inference{
			Attributes: attributes{ir.I64}, Outputs: make([]ir.Fact, 1),
			Inputs: []ir.Fact{{Type: c.tensor.ElementType(), Shape: c.tensor.Shape().Partial(), Tensor: c.tensor}},
		}
		require.NoError(t, infer(in))
		assert.Equal(t, c.want, in.Outputs[0].Shape.String(), "%v", c.tensor.ElementType())
	}
}
