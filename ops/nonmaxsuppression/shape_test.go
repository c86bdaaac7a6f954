package nonmaxsuppression

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func TestShapes(t *testing.T) {
	i32 := layertest.Attributes{"output_type", "i32", "box_encoding", "center"}
	in := func(boxes, scores string, more ...string) []string { return append([]string{boxes, scores}, more...) }
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		// The greatest number of rows is the length, as if it were exact.
		{Version: 1, Inputs: in("f32[1,6,4]", "f32[1,2,6]", "i64[]=2", "f32[]", "f32[]"), Want: "i64[4,3]"},
		{Version: 1, Inputs: in("f32[1,6,4]", "f32[1,2,6]", "i64[]=100"), Want: "i64[6,3]"},
		{Version: 1, Inputs: in("f32[1,6,4]", "f32[1,2,6]"), Want: "i64[0,3]"},
		{Version: 1, Inputs: in("f32[1,6,4]", "f32[1,2,6]", "i64[]"), Want: "i64[?,3]"},
		{Version: 1, Inputs: in("f32[1,6,4]", "f32[1,2,6]", "i64[]=1..2"), Want: "i64[?,3]"},
		{Version: 1, Inputs: in("f32[1,6,4]", "f32[1,2,6]", "i64[]=-1"), Want: "i64[?,3]"},
		{Version: 1, Inputs: in("f32[1,6,4]", "f32[1,2,6]", "i64[]=-2"), Want: "i64[0,3]"},
		{Version: 1, Inputs: in("f32[1,6,4]", "f32[1,2..3,6]", "i64[]=2"), Want: "i64[?,3]"},
		{Version: 1, Inputs: in("f32[1,6,4]", "f32[1,2..3,6]", "i64[]=0"), Want: "i64[0,3]"},
		{Version: 1, Inputs: in("f32[1,6,4]", "f32[...]", "i64[]=2"), Want: "i64[2,3]"},
		{Version: 1, Inputs: in("f32[1,?,4]", "f32[1,2,6]", "i64[]=2"), Want: "i64[?,3]"},
		{Version: 1, Inputs: in("f32[...]", "f32[...]", "i64[]=2"), Want: "i64[?,3]"},
		{Version: 1, Inputs: in("i32[1,6,4]", "string[1,2,6]", "i64[]=2"), Want: "i64[4,3]"},
		{Version: 3, Attributes: i32, Inputs: in("f32[1,6,4]", "f32[1,2,6]", "i64[]=2"), Want: "i32[4,3]"},
		{Version: 4, Attributes: i32, Inputs: in("f32[2,6,4]", "f32[2,2..3,6]", "i64[]=2"), Want: "i32[12,3]"},
		{Version: 4, Inputs: in("f32[2,6,4]", "f32[2,2..,6]", "i64[]=2"), Want: "i64[?,3]"},
		{Version: 4, Inputs: in("f32[2,6,4]", "f32[...]", "i64[]=2"), Want: "i64[?,3]"},
		{Version: 4, Inputs: in("f32[2,6,4]", "f32[2,0,6]", "i64[]=-1"), Want: "i64[0,3]"},
		{Version: 4, Inputs: in("f32[2,6..7,4]", "f32[2,2,6]", "i64[]=2"), Want: "i64[?,3]"},

		{Version: 5, Inputs: in("f32[2,6,4]", "f16[2,3,6]", "i64[]=2"), Want: "i64[..12,3] f32[..12,3] i64[1]"},
		{Version: 5, Attributes: i32, Inputs: in("f32[2,6,4]", "bf16[2,3,6]", "i64[1]=2", "f32[1]", "f32[]", "f16[?]"), Want: "i32[..12,3] f32[..12,3] i32[1]"},
		{Version: 5, Inputs: in("f32[2,6,4]", "f32[2,3,6]"), Want: "i64[?,3] f32[?,3]"},
		{Version: 9, Inputs: in("f32[2,6,4]", "f32[2,0,6]"), Want: "i64[0,3]"},
		{Version: 9, Inputs: in("f32[2,1..6,4]", "f32[..2,1..3,5..]", "i64[]=3"), Want: "i64[..18,3]"},
		{Version: 9, Inputs: in("f32[2,1..,4]", "f32[2,3,?]", "i64[]=3"), Want: "i64[?,3]"},
		{Version: 9, Inputs: in("f32[2,6,4]", "f32[2,3,6]", "i64[]=0"), Want: "i64[0,3]"},
		{Version: 9, Inputs: in("f32[2,6,4]", "f32[2,3,6]", "i64[]=-7"), Want: "i64[?,3]"},
		{Version: 9, Inputs: in("f32[...]", "f32[2,3,6]", "i64[]=2"), Want: "i64[?,3]"},
		{Version: 9, Inputs: in("f32[1,4611686018427387904,4]", "f32[4..,4611686018427387904,?]", "i64[]=9223372036854775807"), Error: "boxes has shape [1,4611686018427387904,4] and scores has shape [4..,4611686018427387904,?]: axes 0 and 0 differ"},
		{Version: 9, Inputs: in("f32[4,4611686018427387904,4]", "f32[4..,4611686018427387904,?]", "i64[]=9223372036854775807"), Want: "i64[?,3]"},

		{Version: 1, Inputs: in("f32[1,6]", "f32[1,2,6]"), Error: "boxes has shape [1,6], expected rank 3"},
		{Version: 5, Inputs: in("f32[...]", "f32[6]"), Error: "scores has shape [6], expected rank 3"},
		{Version: 4, Inputs: in("f32[1,6,4]", "f32[2,2,6]"), Error: "boxes has shape [1,6,4] and scores has shape [2,2,6]: axes 0 and 0 differ"},
		{Version: 9, Inputs: in("f32[1,6,4]", "f32[1,2,7..]"), Error: "boxes has shape [1,6,4] and scores has shape [1,2,7..]: axes 1 and 2 differ"},
		{Version: 9, Inputs: in("f32[1,6,5]", "f32[...]"), Error: "boxes has shape [1,6,5]: axis 2 is not of length 4"},
		{Version: 4, Inputs: in("f32[1,6,4]", "f32[1,2,6]", "i64[1]"), Error: "max_output_boxes_per_class has shape [1], not that of a scalar"},
		{Version: 5, Inputs: in("f32[1,6,4]", "f32[1,2,6]", "i64[]", "f32[2]"), Error: "iou_threshold has shape [2], not that of a scalar or of one element"},
		{Version: 9, Inputs: in("f32[1,6,4]", "f64[1,2,6]"), Error: "scores is f64, expected f32, f16 or bf16"},
		{Version: 5, Attributes: layertest.Attributes{"output_type", "u8"}, Inputs: in("f32[...]", "f32[...]"), Error: "attribute output_type: u8 is neither i32 nor i64"},
		{Version: 5, Attributes: layertest.Attributes{"box_encoding", "edge"}, Inputs: in("f32[...]", "f32[...]"), Error: `attribute box_encoding: "edge" is none of corner, center`},
	})
}

// TestLimitTypes has limits of many types, because OpenVINO writes files with any type.
func TestLimitTypes(t *testing.T) {
	op := layertest.Find(t, Ops, 5)
	attributes, err := op.Attributes(ir.AttributesOf(&ir.Layer{}))
	require.NoError(t, err)
	u4, err := ir.TensorOfBytes(ir.U4, ir.Shape{}, []byte{3})
	require.NoError(t, err)
	i4, err := ir.TensorOfBytes(ir.I4, ir.Shape{}, []byte{0xf})
	require.NoError(t, err)
	u64, err := ir.TensorOf(ir.U64, ir.Shape{}, []uint64{1<<64 - 1})
	require.NoError(t, err)
	for _, c := range []struct {
		limit       *ir.Tensor
		want, error string
	}{
		{limit: layertest.Numbers(t, ir.F32, ir.Shape{}, 2.7), want: "[..4,3]"},
		{limit: layertest.Numbers(t, ir.F64, ir.Shape{}, 1e30), want: "[..12,3]"},
		{limit: layertest.Numbers(t, ir.F64, ir.Shape{}, -1e30), want: "[?,3]"},
		{limit: layertest.Numbers(t, ir.F16, ir.Shape{}, -0.5), want: "[0,3]"},
		{limit: layertest.Numbers(t, ir.BF16, ir.Shape{1}, 3), want: "[..6,3]"},
		{limit: layertest.Numbers(t, ir.U8, ir.Shape{}, 3), want: "[..6,3]"},
		{limit: u4, want: "[..6,3]"},
		{limit: i4, want: "[?,3]"},
		{limit: u64, want: "[?,3]"},
		{limit: layertest.Numbers(t, ir.Boolean, ir.Shape{}, 1), error: "max_output_boxes_per_class is boolean, which is no number of boxes"},
	} {
		in := &ops.Inference{Attributes: attributes, Outputs: make([]ir.Fact, 3), Inputs: []ir.Fact{
			{Type: ir.F32, Shape: ir.StaticShape(1, 6, 4)},
			{Type: ir.F32, Shape: ir.StaticShape(1, 2, 6)},
			{Type: c.limit.ElementType(), Shape: c.limit.Shape().Partial(), Tensor: c.limit},
		}}
		err := op.Infer(in)
		if c.error != "" {
			assert.EqualError(t, err, c.error)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.want, in.Outputs[0].Shape.String(), "%v", c.limit.ElementType())
	}
}
