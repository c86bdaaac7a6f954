package trietokenizer

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShape(t *testing.T) {
	const rows, words = "i32[2] i32[2] i32[?] i32[?] u8[?] ", "i32[7] i32[7] u8[?] "
	got, err := layertest.InferOutputs(t, &Ops[0], nil, 3, strings.Fields(rows+words+"i32[7]")...)
	require.NoError(t, err)
	assert.Equal(t, []string{"i32[?]", "i32[?]", "i32[?]"}, got)
	for want, inputs := range map[string]string{
		"the ids are i64, expected i32":        rows + words + "i64[7]",
		"input 5, begins, is u8, expected i32": rows + "u8[7] i32[7] u8[7] i32[7]",
	} {
		_, err := layertest.InferOutputs(t, &Ops[0], nil, 3, strings.Fields(inputs)...)
		assert.EqualError(t, err, want)
	}
}
