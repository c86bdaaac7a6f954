package unigramtokenizer

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShape(t *testing.T) {
	const rows, words = "i32[?,2] i32[?,2] i32[?] i32[?] u8[?] ", "i32[7] i32[7] u8[?] "
	got, err := layertest.InferOutputs(t, &Ops[0], nil, 3, strings.Fields(rows+words+"f32[7]")...)
	require.NoError(t, err)
	assert.Equal(t, []string{"i32[?,2]", "i32[?,2]", "i32[?]"}, got)
	for want, inputs := range map[string]string{
		"the scores are f64, expected f32":        rows + words + "f64[7]",
		"input 6, ends, is boolean, expected i32": rows + "i32[7] boolean[7] u8[7] f32[7]",
	} {
		_, err := layertest.InferOutputs(t, &Ops[0], nil, 3, strings.Fields(inputs)...)
		assert.EqualError(t, err, want)
	}
	_, err = layertest.InferOutputs(t, &Ops[0], layertest.Attributes{"unk_token_id", "2147483648"}, 3, strings.Fields(rows+words+"f32[7]")...)
	assert.EqualError(t, err, "attribute unk_token_id: 2147483648 is no i32")
}
