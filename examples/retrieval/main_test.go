package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	embedder = "../../embedding/testdata/tiny"
	model    = "../../generate/testdata/tiny"
)

// TestRetrieve searches 1,000 lines.
func TestRetrieve(t *testing.T) {
	var all strings.Builder
	for i := range 999 {
		fmt.Fprintf(&all, "the stock fell on monday %s\n", strings.Repeat("rain ", i%20))
	}
	file := filepath.Join(t.TempDir(), "lines.txt")
	require.NoError(t, os.WriteFile(file, []byte(all.String()+"cats like warm milk\n"), 0o644))
	for _, name := range []string{"lines.txt", file} {
		var out strings.Builder
		found, err := retrieve(context.Background(), &out, embedder, name, "warm milk for cats")
		require.NoError(t, err)
		require.Len(t, found, 3)
		assert.Equal(t, "cats like warm milk", found[0])
		lines := strings.Split(out.String(), "\n")
		require.Len(t, lines, 4)
		assert.Contains(t, lines[0], " cats like warm milk")
	}
	_, err := retrieve(context.Background(), &strings.Builder{}, embedder, "nothere.txt", "cats")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = retrieve(context.Background(), &strings.Builder{}, t.TempDir(), "lines.txt", "cats")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestAnswer has a model of random weights, whose answer depends on what was found.
func TestAnswer(t *testing.T) {
	var one, other strings.Builder
	require.NoError(t, answer(context.Background(), &one, model, "Who likes milk?", []string{"cats like warm milk"}))
	require.NoError(t, answer(context.Background(), &other, model, "Who likes milk?", []string{"the stock rose"}))
	assert.Greater(t, one.Len(), 1)
	assert.NotEqual(t, one.String(), other.String())
	require.ErrorIs(t, answer(context.Background(), &one, t.TempDir(), "Who?", nil), fs.ErrNotExist)
}
