package convert_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// TestNode_DataType follows a type that OpenVINO does not have from an input, an initializer and an
// attribute through layers that keep the element type, and into the body of a layer.
func TestNode_DataType(t *testing.T) {
	var names []string
	one := infer.Arity{Min: 1, Max: 1}
	s := onnxtest.NewSuite(t, append(rules(),
		convert.Rule{Operator: "Note", Versions: []int{1}, Inputs: one, Outputs: one, Convert: func(n *convert.Node) []convert.Value {
			v := n.Input(0)
			names = append(names, n.DataType(v).Name(), n.DataType(n.Convert(v, ir.F32)).Name(), n.DataType(v.As(convert.DataType{Element: ir.F16})).Name())
			b := n.NewBody()
			names = append(names, b.DataType(b.Capture(v)).Name())
			return []convert.Value{v}
		}},
		convert.Rule{Operator: "Value", Versions: []int{1}, Outputs: one, Convert: func(n *convert.Node) []convert.Value {
			return []convert.Value{n.TensorValue("value")}
		}},
	))
	w := &proto.Tensor{Name: "w", DataType: proto.Float8E5M2FNUZ, Dims: []int64{1}, Raw: []byte{0x40}}
	value := &proto.Attribute{Name: "value", Type: proto.AttributeTensor, Tensor: w}
	for _, source := range []string{"x", "w", "v"} {
		g := graph("y", onnxtest.Node("Value", "", "v", value), onnxtest.Node("Relu", source, "r"), onnxtest.Node("Note", "r", "y"))
		g.Inputs[0].Type.ElementType, g.Outputs[0].Type = proto.Float8E5M2FNUZ, g.Inputs[0].Type
		g.Initializers = []*proto.Tensor{w}
		names = nil
		m, err := s.Convert(t, onnxtest.Model(13, g))
		require.NoError(t, err)
		assert.Equal(t, []string{"FLOAT8E5M2FNUZ", "f32", "f16", "FLOAT8E5M2FNUZ"}, names, source)
		for _, layer := range []*ir.Layer{m.Parameters[0], m.Results[0]} {
			attribute := layer.RTInfo.SelectElement("attribute")
			assert.Equal(t, "onnx_type", attribute.SelectAttrValue("name", ""))
			assert.Equal(t, "FLOAT8E5M2FNUZ", attribute.SelectAttrValue("value", ""))
		}
	}
}

func TestNode_TensorValue(t *testing.T) {
	_, err := convertBy(t, func(n *convert.Node) []convert.Value {
		assert.True(t, n.TensorValue("nothing").Absent())
		assert.Equal(t, convert.DataType{Element: ir.U8}, n.DataTypeOf("nothing", convert.DataType{Element: ir.U8}))
		assert.Equal(t, "INT2", n.DataTypeOf("two", convert.DataType{}).Name())
		n.ElementType("two", ir.U8)
		return nil
	}, graph("y", onnxtest.Node("Op", "", "y", onnxtest.Attribute("two", int(proto.Int2)))))
	assert.ErrorContains(t, err, "attribute two: type INT2 is not supported: OpenVINO does not have it")
}
