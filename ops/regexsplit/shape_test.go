package regexsplit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

const rows = "i32[2] i32[2] i32[?] i32[?] "

func TestShape(t *testing.T) {
	for inputs, want := range map[string]string{
		rows + "u8[9] u8[3]":                          "i32[2] i32[2] i32[?] i32[?] u8[?]",
		rows + "u8[?] u8[3]":                          "i32[?] i32[?] i32[?] i32[?] u8[?]",
		rows + "u8[0] u8[3]":                          "i32[1] i32[1] i32[?] i32[?] u8[?]",
		"i32[1] i32[0] i32[0] i32[0] u8[0] u8[3]":     "i32[1] i32[1] i32[?] i32[?] u8[?]",
		rows + "u8[9] boolean[?] u8[3]":               "i32[2] i32[2] i32[?] i32[?] u8[?] boolean[?]",
		rows + "u8[9] u8[3] i32[2] i32[2] u8[7]":      "i32[2] i32[2] i32[?] i32[?] u8[?]",
		"i32[2,3] i32[2,3] i32[5] i32[5] u8[9] u8[3]": "i32[2,3] i32[2,3] i32[?] i32[?] u8[?]",
	} {
		outputs := len(strings.Fields(want))
		got, err := layertest.InferOutputs(t, &Ops[0], nil, outputs, strings.Fields(inputs)...)
		require.NoError(t, err, inputs)
		assert.Equal(t, strings.Fields(want), got, inputs)
	}
	for want, inputs := range map[string]string{
		"the layer has 8 inputs, expected 6, 7 or 9":                   rows + "u8[9] u8[3] i32[2] i32[2]",
		"input 5, skips, is u8, expected boolean":                      rows + "u8[9] u8[?] u8[3]",
		"skips has shape [2,2], expected rank 1":                       rows + "u8[9] boolean[2,2] u8[3]",
		"input 5, pattern, is i8, expected u8":                         rows + "u8[9] i8[3]",
		"input 4, chars, is i32, expected u8":                          rows + "i32[9] u8[3]",
		"input 0, begins, is i64, expected i32":                        "i64[2] i32[2] i32[?] i32[?] u8[0] u8[3]",
		"input 2, begins, has shape [2], input 3, ends, has shape [3]": "i32[1] i32[0] i32[2] i32[3] u8[0] u8[3]",
		"input 8, chars, is i8, expected u8":                           rows + "u8[9] u8[3] i32[2] i32[2] i8[7]",
	} {
		_, err := layertest.InferOutputs(t, &Ops[0], nil, 5, strings.Fields(inputs)...)
		assert.EqualError(t, err, want)
	}
	for _, c := range []struct {
		attributes layertest.Attributes
		want       string
	}{
		{layertest.Attributes{"behaviour", "foo"}, `behaviour`},
		{layertest.Attributes{"max_splits", "0"}, `max_splits`},
		{layertest.Attributes{"max_splits", "-2"}, `max_splits`},
	} {
		_, err := layertest.InferOutputs(t, &Ops[0], c.attributes, 5, strings.Fields(rows+"u8[9] u8[3]")...)
		assert.ErrorContains(t, err, c.want)
	}
}
