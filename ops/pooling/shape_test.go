package pooling

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func TestShapes(t *testing.T) {
	type at = layertest.Attributes
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Type: "MaxPool-14", Attributes: at{"kernel", "2,2", "strides", "2,2"}, Inputs: []string{"f32[1,2,5,5]"}, Want: "f32[1,2,2,2]"},
		{Type: "MaxPool-14", Attributes: at{"kernel", "2,2", "strides", "2,2", "rounding_type", "ceil"}, Inputs: []string{"f32[1,2,5,5]"}, Want: "f32[1,2,3,3]"},
		{Type: "MaxPool-14", Attributes: at{"kernel", "3", "strides", "1", "rounding_type", "ceil_torch"}, Inputs: []string{"i8[?,2,?]"}, Want: "i8[?,2,1..]"},
		{Type: "MaxPool-14", Attributes: at{"kernel", "3", "strides", "1"}, Inputs: []string{"f32[1,1..3,4..6]"}, Want: "f32[1,1..3,2..4]"},
		{Type: "MaxPool-14", Attributes: at{"kernel", "3", "strides", "1", "auto_pad", "same_upper"}, Inputs: []string{"f32[1,2,?]"}, Want: "f32[1,2,?]"},
		{Type: "MaxPool-14", Attributes: at{"kernel", "1", "strides", "2", "auto_pad", "same_upper", "rounding_type", "ceil"}, Inputs: []string{"f32[1,2,6]"}, Want: "f32[1,2,4]"},
		{Type: "MaxPool-1", Attributes: at{"kernel", "2", "strides", "1", "auto_pad", "same_upper", "pads_end", "-1"}, Inputs: []string{"f32[1,2,5]"}, Want: "f32[1,2,5]"},
		{Type: "AvgPool-1", Attributes: at{"kernel", "2", "strides", "1", "pads_end", "2", "exclude-pad", "true"}, Inputs: []string{"f32[1,2,5..6]"}, Want: "f32[1,2,6..7]"},
		{Type: "AvgPool-1", Attributes: at{"kernel", "2", "strides", "1", "pads_end", "2", "exclude-pad", "false"}, Inputs: []string{"f32[1,2,5]"}, Want: "f32[1,2,6]"},
		{Type: "AvgPool-16", Attributes: at{"kernel", "3", "strides", "1", "dilations", "2"}, Inputs: []string{"f16[1,2,5]"}, Want: "f16[1,2,1]"},
		{Type: "AvgPool-14", Attributes: at{"kernel", "3", "strides", "1", "dilations", "2"}, Inputs: []string{"f16[1,2,5]"}, Want: "f16[1,2,3]"},
		{Type: "MaxPool-1", Attributes: at{"kernel", "3", "strides", "1", "dilations", "none"}, Inputs: []string{"f16[1,2,5]"}, Want: "f16[1,2,3]"},
		{Type: "MaxPool-8", Attributes: at{"kernel", "3,3", "strides", "1,1"}, Inputs: []string{"f32[...]"}, Want: "f32[?,?,?,?]"},

		{Type: "MaxPool-1", Inputs: []string{"f32[1,2,5]"}, Error: "kernel has 0 elements for 1 spatial axes"},
		{Type: "MaxPool-1", Attributes: at{"kernel", "2"}, Inputs: []string{"f32[...]"}, Error: "strides has 0 elements, kernel has 1"},
		{Type: "MaxPool-1", Attributes: at{"kernel", "2", "strides", "1", "pads_end", "1,1"}, Inputs: []string{"f32[...]"}, Error: "pads_end has 2 elements for 1 spatial axes"},
		{Type: "MaxPool-1", Attributes: at{"kernel", "2", "strides", "1", "pads_end", "-1"}, Inputs: []string{"f32[1,2,5]"}, Error: "attribute pads_end: -1 is outside [0,1073741824]"},
		{Type: "AvgPool-1", Attributes: at{"kernel", "2", "strides", "1", "pads_end", "2", "exclude-pad", "true"}, Inputs: []string{"f32[1,2,5]"}, Error: "the window of 2 elements along spatial axis 0 may lie in the padding of 0 and 2, which exclude-pad leaves out"},
		{Type: "MaxPool-1", Attributes: at{"kernel", "0", "strides", "1"}, Inputs: []string{"f32[1,2,5]"}, Error: "attribute kernel: 0 is outside [1,1073741824]"},
		{Type: "MaxPool-1", Attributes: at{"kernel", "6", "strides", "1"}, Inputs: []string{"f32[1,2,5]"}, Error: "the window of 6 elements along spatial axis 0 is longer than the padded input of 5"},
		{Type: "MaxPool-1", Attributes: at{"kernel", "1", "strides", "1"}, Inputs: []string{"f32[1,2]"}, Error: "data has shape [1,2]: a rank from 3 to 5 is needed"},
		{Type: "MaxPool-1", Attributes: at{"kernel", "1", "strides", "1"}, Inputs: []string{"boolean[1,2,5]"}, Error: "data is boolean, which is not pooled"},
		{Type: "AvgPool-1", Attributes: at{"kernel", "1", "strides", "1"}, Inputs: []string{"boolean[1,2,5]"}, Error: "data is boolean, which is not pooled"},
		{Type: "AvgPool-1", Attributes: at{"kernel", "1", "strides", "1"}, Inputs: []string{"i32[1,2,5]"}, Want: "i32[1,2,5]"},
		{Type: "AvgPool-1", Attributes: at{"kernel", "1", "strides", "1", "rounding_type", "ceil_torch"}, Inputs: []string{"f32[1,2,5]"}, Error: `attribute rounding_type: "ceil_torch" is none of floor, ceil`},
		{Type: "MaxPool-8", Attributes: at{"kernel", "1", "strides", "1", "axis", "3"}, Inputs: []string{"f32[1,2,5]"}, Error: "axis 3 is outside [-3,2] for rank 3"},
		{Type: "MaxPool-8", Attributes: at{"kernel", "1", "strides", "1", "index_element_type", "u8"}, Inputs: []string{"f32[1,2,5]"}, Error: "attribute index_element_type: u8 is neither i32 nor i64"},
	})
}

func TestShapes_outputs(t *testing.T) {
	fact := layertest.Fact(t, "f32[1,2,?]")
	for _, c := range []struct {
		name      string
		indexType string
		want      ir.ElementType
		err       string
	}{
		{"MaxPool-8", "i64", ir.I64, ""},
		{"MaxPool-14", "i32", ir.I32, ""},
		{"MaxPool-1", "i64", ir.Dynamic, "the layer has 2 outputs in the file, its type has 1"},
		{"AvgPool-16", "i64", ir.Dynamic, "the layer has 2 outputs in the file, its type has 1"},
	} {
		op := layertest.FindType(t, Ops, c.name)
		layer := &ir.Layer{Data: []ir.Attribute{{Name: "kernel", Value: "2"}, {Name: "strides", Value: "1"}, {Name: "index_element_type", Value: c.indexType}}}
		at, err := op.Attributes(ir.AttributesOf(layer))
		require.NoError(t, err)
		in := &ops.Inference{Layer: layer, Attributes: at, Inputs: []ir.Fact{fact}, Outputs: make([]ir.Fact, 2)}
		if c.err != "" {
			assert.EqualError(t, infer(in), c.err)
			continue
		}
		require.NoError(t, infer(in))
		assert.Equal(t, "[1,2,1..]", in.Outputs[0].Shape.String())
		assert.Equal(t, "[1,2,1..]", in.Outputs[1].Shape.String())
		assert.Equal(t, c.want, in.Outputs[1].Type)
	}
}
