package regexnormalization

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShape(t *testing.T) {
	for inputs, want := range map[string]string{
		"i32[2,?] i32[?,3] u8[?] u8[1] u8[0]":        "i32[2,3] i32[2,3] u8[?]",
		"i32[2] i32[2] u8[9] boolean[2] u8[1] u8[0]": "i32[2] i32[2] u8[?] boolean[2]",
	} {
		got, err := layertest.InferOutputs(t, &Ops[0], nil, len(strings.Fields(want)), strings.Fields(inputs)...)
		require.NoError(t, err)
		assert.Equal(t, strings.Fields(want), got)
	}
	for want, inputs := range map[string]string{
		"input 1, ends, is i64, expected i32":          "i32[2] i64[2] u8[9] u8[1] u8[0]",
		"input 3, skips, is u8, expected boolean":      "i32[2] i32[2] u8[9] u8[2] u8[1] u8[0]",
		"input 3, pattern, is i8, expected u8":         "i32[2] i32[2] u8[9] i8[1] u8[0]",
		"input 4, replacement, is i8, expected u8":     "i32[2] i32[2] u8[9] u8[1] i8[0]",
		"replacement has shape [1,1], expected rank 1": "i32[2] i32[2] u8[9] u8[1] u8[1,1]",
	} {
		_, err := layertest.InferOutputs(t, &Ops[0], nil, 3, strings.Fields(inputs)...)
		assert.EqualError(t, err, want)
	}
}
