package main

import (
	"bytes"
	"context"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTalk talks with a model of random weights.
func TestTalk(t *testing.T) {
	const tiny = "../../generate/testdata/tiny"
	var one, two bytes.Buffer
	require.NoError(t, talk(context.Background(), tiny, strings.NewReader("Hi\n"), &one))
	require.NoError(t, talk(context.Background(), tiny, strings.NewReader("Hi\nAnd now?"), &two))
	assert.Greater(t, one.Len(), 1)
	assert.True(t, bytes.HasPrefix(two.Bytes(), one.Bytes()))
	assert.Greater(t, two.Len(), one.Len()+1)
	require.ErrorIs(t, talk(context.Background(), t.TempDir(), strings.NewReader(""), &two), fs.ErrNotExist)
}
