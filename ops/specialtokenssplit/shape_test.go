package specialtokenssplit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

const rows = "i32[2] i32[2] i32[?] i32[?] "

func TestShape(t *testing.T) {
	for _, inputs := range []string{rows + "u8[9] u8[3]", rows + "u8[0] u8[3]", rows + "u8[9] boolean[?] u8[3]"} {
		got, err := layertest.InferOutputs(t, &Ops[0], nil, 6, strings.Fields(inputs)...)
		require.NoError(t, err)
		assert.Equal(t, []string{"i32[2]", "i32[2]", "i32[?]", "i32[?]", "u8[?]", "boolean[?]"}, got)
	}
	for want, inputs := range map[string]string{
		"input 5, skips, is u8, expected boolean": rows + "u8[9] u8[?] u8[3]",
		"input 5, pattern, is i8, expected u8":    rows + "u8[9] i8[3]",
		"input 3, ends, is i64, expected i32":     "i32[2] i32[2] i32[?] i64[?] u8[9] u8[3]",
	} {
		_, err := layertest.InferOutputs(t, &Ops[0], nil, 6, strings.Fields(inputs)...)
		assert.EqualError(t, err, want)
	}
}
