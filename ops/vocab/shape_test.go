package vocab

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestEncoder(t *testing.T) {
	row := func(want, err string, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Type: "VocabEncoder-extension", Inputs: inputs, Want: want, Error: err}
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		row("i32[?,2]", "", "i32[?,2]", "i32[?,2]", "u8[?]", "i32[7]", "i32[7]", "u8[?]", "i32[7]", "i32[]"),
		row("i64[2]", "", "i32[2]", "i32[2]", "u8[?]", "i32[?]", "i32[?]", "u8[?]", "i64[7]", "i64[1]"),
		row("", "input 1, ends, is i64, expected i32", "i32[2]", "i64[2]", "u8[?]", "i32[?]", "i32[?]", "u8[?]", "i64[7]", "i64[1]"),
		row("", "input 5, chars, is i8, expected u8", "i32[2]", "i32[2]", "u8[?]", "i32[?]", "i32[?]", "i8[?]", "i64[7]", "i64[1]"),
		row("", "values is f32, expected i32 or i64", "i32[2]", "i32[2]", "u8[?]", "i32[7]", "i32[7]", "u8[?]", "f32[7]", "f32[]"),
		row("", "values is i32, the default is i64", "i32[2]", "i32[2]", "u8[?]", "i32[7]", "i32[7]", "u8[?]", "i32[7]", "i64[]"),
		row("", "the begins of keys have shape [7], values has shape [8]", "i32[2]", "i32[2]", "u8[?]", "i32[7]", "i32[7]", "u8[?]", "i32[8]", "i32[]"),
	})
}

func TestDecoder(t *testing.T) {
	op := layertest.FindType(t, Ops, "VocabDecoder-extension")
	for _, c := range []struct{ ids, rows, strings string }{
		{"i32[2,3]", "[2]", "[6]"},
		{"i64[2,0]", "[2]", "[2]"},
		{"i32[?,3]", "[?]", "[?]"},
		{"i32[2,?]", "[2]", "[?]"},
		{"i32[...]", "[?]", "[?]"},
	} {
		got, err := layertest.InferOutputs(t, op, nil, 5, c.ids, "i32[9]", "i32[9]", "u8[?]", "i64[2]")
		require.NoError(t, err)
		assert.Equal(t, []string{"i32" + c.rows, "i32" + c.rows, "i32" + c.strings, "i32" + c.strings, "u8[?]"}, got)
	}
	for want, in := range map[string][5]string{
		"ids is f32, expected i32 or i64":                    {"f32[2,3]", "i32[9]", "i32[9]", "u8[?]", "i32[2]"},
		"ids has shape [2], expected rank 2":                 {"i32[2]", "i32[9]", "i32[9]", "u8[?]", "i32[2]"},
		"input 1, begins, is i64, expected i32":              {"i32[2,3]", "i64[9]", "i32[9]", "u8[?]", "i32[2]"},
		"the list of ids to skip is u8, expected i32 or i64": {"i32[2,3]", "i32[9]", "i32[9]", "u8[?]", "u8[2]"},
	} {
		_, err := layertest.InferOutputs(t, op, nil, 5, in[:]...)
		assert.EqualError(t, err, want)
	}
}
