package main

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCheck(t *testing.T) {
	var out strings.Builder
	faults, err := check(&out, os.DirFS("models"))
	require.NoError(t, err)
	assert.Equal(t, 1, faults)
	assert.Equal(t, "stale.xml:11: warning: layer 2 \"flat\" (Reshape, opset1): output 0 is [1,5] in the file, inferred [1,12] [stale-shape]\n", out.String())

	faults, err = check(&out, fstest.MapFS{"bad.xml": {Data: []byte("<net>")}})
	require.NoError(t, err)
	assert.Equal(t, 1, faults, "a model that cannot be read is a fault")
}
