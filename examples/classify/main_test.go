package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestClassify compares with what model.py prints.
func TestClassify(t *testing.T) {
	var out strings.Builder
	require.NoError(t, classify(&out, "model.xml", "meadow.png", "labels.txt"))
	assert.Equal(t, "0.383 green\n0.315 blue\n0.303 red\n", out.String())

	labels := filepath.Join(t.TempDir(), "labels.txt")
	require.NoError(t, os.WriteFile(labels, []byte("red\n"), 0o600))
	assert.ErrorContains(t, classify(&out, "model.xml", "meadow.png", labels), "has no label for class 1")
}
