package bytestochars

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShape(t *testing.T) {
	rows := []string{"i32[?,2]", "i32[?,2]", "i32[3]", "i32[3]", "u8[9]"}
	got, err := layertest.InferOutputs(t, &Ops[0], nil, 5, rows...)
	require.NoError(t, err)
	assert.Equal(t, []string{"i32[?,2]", "i32[?,2]", "i32[3]", "i32[3]", "u8[?]"}, got)
	got, err = layertest.InferOutputs(t, &Ops[0], nil, 6, append(rows, "boolean[3]")...)
	require.NoError(t, err)
	assert.Equal(t, []string{"i32[?,2]", "i32[?,2]", "i32[3]", "i32[3]", "u8[?]", "boolean[3]"}, got)
	got, err = layertest.InferOutputs(t, &Ops[1], nil, 3, rows...)
	require.NoError(t, err)
	assert.Equal(t, []string{"i32[?,2]", "i32[?,2]", "u8[?]"}, got)

	_, err = layertest.InferOutputs(t, &Ops[0], nil, 6, append(rows, "u8[3]")...)
	assert.EqualError(t, err, "input 5, skips, is u8, expected boolean")
	rows[4] = "i8[9]"
	for i := range Ops {
		_, err = layertest.InferOutputs(t, &Ops[i], nil, 3, rows...)
		assert.EqualError(t, err, "input 4, chars, is i8, expected u8")
	}
}
