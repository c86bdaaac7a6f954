package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRun compares with the outputs that model.py prints.
func TestRun(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(&out))
	assert.Contains(t, out.String(), `<layer id="8" name="sum" type="ScatterElementsUpdate" version="opset12">`)
	_, results, found := strings.Cut(out.String(), "\nnodes")
	require.True(t, found)
	assert.Equal(t, ` [5,2] = [0 1 2 3 4 5 6 7 8 9]
sum   [5,2] = [18 22 2 4 6 8 6 7 14 16]
max   [5,2] = [8 9 0 1 2 3 6 7 6 7]
`, results)
	assert.Regexp(t, `ScatterElementsUpdate +sum +f32\[\?,2\]`, out.String())
}
