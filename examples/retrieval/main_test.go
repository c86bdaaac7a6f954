package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRetrieve(t *testing.T) {
	const dir = "../../embedding/testdata/tiny"
	var out strings.Builder
	require.NoError(t, retrieve(&out, dir, "lines.txt", "warm milk for cats"))
	lines := strings.Split(out.String(), "\n")
	assert.Len(t, lines, 4)
	assert.Contains(t, lines[0], " cats like warm milk")
	assert.Error(t, retrieve(&out, dir, "nothere.txt", "cats"))
	assert.Error(t, retrieve(&out, "nothere", "lines.txt", "cats"))
}
