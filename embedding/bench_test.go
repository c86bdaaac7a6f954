package embedding

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/text"
)

// BenchmarkEmbed has the real all-MiniLM-L6-v2, and texts of 1 to 24 words.
func BenchmarkEmbed(b *testing.B) {
	corpus := optest.Corpus(b)
	model, err := irxml.ReadFile(filepath.Join(corpus, "zoo", "minilm_l6", "model.xml"), irxml.ReadOptions{})
	require.NoError(b, err)
	tokenizer, err := text.Open(filepath.Join(corpus, "text", "tokenizers", "bert_minilm"))
	require.NoError(b, err)
	config := DefaultConfig()
	config.MaxLength = 256
	o := withBuiltin()
	o.InferenceNumThreads = 1
	p, err := o.New(background, model, tokenizer, config)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, p.Close()) })
	texts := sentences(200)
	b.ReportAllocs()
	for b.Loop() {
		_, err := p.Embed(background, texts)
		require.NoError(b, err)
	}
}
