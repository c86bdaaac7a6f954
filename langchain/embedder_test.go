package langchain

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/embedding"
	"github.com/vinoir/vinoir/ops/builtin"
)

// TestEmbedder compares vectors with those of package embedding, with instructions.
func TestEmbedder(t *testing.T) {
	const dir = "../embedding/testdata/tiny"
	config, err := embedding.ReadConfig(os.DirFS(dir), ".")
	require.NoError(t, err)
	config.QueryInstruction, config.DocumentInstruction = "rain ", "snow "
	p, err := embedding.Options{Ops: builtin.Ops()}.OpenConfig(dir, config)
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	e := NewEmbedder(p)
	got, err := e.EmbedDocuments(background, []string{"cats", "milk for cats"})
	require.NoError(t, err)
	query, err := e.EmbedQuery(background, "milk")
	require.NoError(t, err)
	want, err := p.Embed(background, []string{"snow cats", "snow milk for cats", "rain milk"})
	require.NoError(t, err)
	assert.Equal(t, [][]float32{want.Row(0), want.Row(1), want.Row(2)}, append(got, query))
	none, err := e.EmbedDocuments(background, nil)
	require.NoError(t, err)
	assert.Empty(t, none)
	ctx, cancel := context.WithCancel(background)
	cancel()
	_, err = e.EmbedDocuments(ctx, []string{"cats"})
	require.ErrorIs(t, err, context.Canceled)
	_, err = e.EmbedQuery(ctx, "cats")
	require.ErrorIs(t, err, context.Canceled)
}
