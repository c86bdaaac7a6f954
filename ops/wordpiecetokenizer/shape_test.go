package wordpiecetokenizer

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShape(t *testing.T) {
	const rows, words = "i32[?,2] i32[?,2] i32[?] i32[?] u8[?] ", "i32[7] i32[7] u8[?] "
	for _, unknown := range []string{"i32[]", "i64[1]"} {
		got, err := layertest.InferOutputs(t, &Ops[0], nil, 3, strings.Fields(rows+words+unknown)...)
		require.NoError(t, err)
		assert.Equal(t, []string{"i32[?,2]", "i32[?,2]", "i32[?]"}, got)
	}
	for want, inputs := range map[string]string{
		"the id of unknown strings is f32, expected i32 or i64": rows + words + "f32[]",
		"input 0, begins, is i64, expected i32":                 "i64[?] i32[?] i32[?] i32[?] u8[?] " + words + "i32[]",
		"input 7, chars, is i32, expected u8":                   rows + "i32[7] i32[7] i32[7] i32[]",
	} {
		_, err := layertest.InferOutputs(t, &Ops[0], nil, 3, strings.Fields(inputs)...)
		assert.EqualError(t, err, want)
	}
}
