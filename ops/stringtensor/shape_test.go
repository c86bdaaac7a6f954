package stringtensor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func TestPack(t *testing.T) {
	row := func(want, err string, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Type: "StringTensorPack-15", Inputs: inputs, Want: want, Error: err}
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		row("string[2]", "", "i64[2]", "i64[?]", "u8[7]"),
		row("string[]", "", "i32[]", "i32[]", "u8[7]"),
		row("string[3..4]", "", "i32[..4]", "i32[3..]", "u8[?]"),
		row("string[...]", "", "i32[...]", "i32[...]", "u8[...]"),
		row("string[2]", "", "i64[2]=0,7", "i64[2]=2,7", "u8[7]"),
		row("string[2]", "", "i64[2]=0,8", "i64[2]=2,9", "u8[..7]"),
		row("string[2]", "", "i64[2]=-1..0,8", "i64[2]", "u8[7]"),
		row("string[0]", "", "i64[0]=", "i64[0]=", "u8[0]"),

		row("", "begins is u8, expected i32 or i64", "u8[2]", "u8[2]", "u8[7]"),
		row("", "begins is dynamic, expected i32 or i64", "dynamic[2]", "i32[2]", "u8[7]"),
		row("", "begins is i64, ends is i32", "i64[2]", "i32[2]", "u8[7]"),
		row("", "symbols is i8, expected u8", "i64[2]", "i64[2]", "i8[7]"),
		row("", "symbols has shape [1,7], expected rank 1", "i64[2]", "i64[2]", "u8[1,7]"),
		row("", "begins has shape [2], ends has shape [3]", "i64[2]", "i64[3]", "u8[7]"),
		row("", "begins[0] is negative: -1", "i64[2]=-1,0", "i64[2]", "u8[...]"),
		row("", "ends is not sorted: element 1 is 3, behind 4", "i64[2]", "i64[2]=4,3", "u8[...]"),
		row("", "ends ends with 8, symbols has 7 elements", "i64[2]", "i64[2]=4,8", "u8[7]"),
	})
}

func TestUnpack(t *testing.T) {
	op := layertest.FindType(t, Ops, "StringTensorUnpack-15")
	for _, c := range []struct{ data, shape, symbols string }{
		{"string[2,3]", "[2,3]", "[?]"},
		{"string[?,..3]", "[?,..3]", "[?]"},
		{"string[...]", "[...]", "[?]"},
		{"string[?,0]", "[?,0]", "[0]"},
	} {
		got, err := layertest.InferOutputs(t, op, nil, 3, c.data)
		require.NoError(t, err)
		assert.Equal(t, []string{"i32" + c.shape, "i32" + c.shape, "u8" + c.symbols}, got)
	}
	_, err := layertest.Infer(t, op, nil, "u8[2]")
	assert.EqualError(t, err, "data is u8, expected string")
	_, err = layertest.InferOutputs(t, op, nil, 4, "string[2]")
	assert.EqualError(t, err, "the layer has 4 outputs in the file, its type has 3")
}

// TestUnpack_constant has constant strings, whose bytes are counted.
func TestUnpack_constant(t *testing.T) {
	tensor, err := ir.StringTensor(ir.Shape{2}, []string{"ab", "é"})
	require.NoError(t, err)
	in := &ops.Inference{
		Inputs:  []ir.Fact{{Type: ir.String, Shape: ir.StaticShape(2), Tensor: tensor}},
		Outputs: make([]ir.Fact, 3),
	}
	require.NoError(t, inferUnpack(in))
	assert.Equal(t, "[4]", in.Outputs[2].Shape.String())
}

func TestExtension(t *testing.T) {
	unpack := layertest.FindType(t, Extension, "StringTensorUnpack-extension")
	for _, c := range []struct{ data, shape, symbols string }{
		{"string[2,3]", "[2,3]", "[?]"},
		{"u8[8]", "[?]", "[?]"},
		{"u8[...]", "[?]", "[?]"},
	} {
		got, err := layertest.InferOutputs(t, unpack, layertest.Attributes{"mode", "begins_ends"}, 3, c.data)
		require.NoError(t, err)
		assert.Equal(t, []string{"i32" + c.shape, "i32" + c.shape, "u8" + c.symbols}, got)
	}
	_, err := layertest.Infer(t, unpack, nil, "i8[2]")
	assert.EqualError(t, err, "data is i8, expected string or u8")
	_, err = layertest.Infer(t, unpack, nil, "u8[2,2]")
	assert.EqualError(t, err, "data has shape [2,2], expected rank 1")
	_, err = layertest.Infer(t, layertest.FindType(t, Extension, "StringTensorPack-extension"), layertest.Attributes{"mode", "ragged"}, "i32[2]", "i32[2]", "u8[7]")
	assert.ErrorContains(t, err, "attribute mode: ")

	for text, want := range map[string]string{"abc": "[2]", "": ""} {
		tensor := packed(t, text, 2, 0, 1, 3)
		in := &ops.Inference{Inputs: []ir.Fact{{Type: ir.U8, Shape: ir.StaticShape(tensor.Len()), Tensor: tensor}}, Outputs: make([]ir.Fact, 3)}
		if err := inferExtensionUnpack(in); want == "" {
			assert.EqualError(t, err, "the last packed string ends at 3, of 0 bytes")
			continue
		}
		assert.Equal(t, want, in.Outputs[0].Shape.String())
		assert.Equal(t, "[3]", in.Outputs[2].Shape.String())
	}
}
