package text

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conformance/textcorpus"
	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/plugin"
)

// corpusCases returns the cases of a file of a tokenizer of the corpus.
func corpusCases(t *testing.T, dir, name string) []textcorpus.TokenizerCase {
	t.Helper()
	file, err := textcorpus.ReadTokenizer(filepath.Join(dir, name))
	require.NoError(t, err)
	return file.Cases
}

// openCorpus opens a tokenizer of the corpus. It skips those with layer types that are missing.
func openCorpus(t *testing.T, dir string) *Tokenizer {
	t.Helper()
	tokenizer, err := Open(dir)
	var unsupported *plugin.UnsupportedError
	if errors.As(err, &unsupported) {
		t.Skip("SKIPPED: ", err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, tokenizer.Close()) })
	return tokenizer
}

// TestCorpus compares the tokens of all texts, and the texts of all tokens, with those of OpenVINO.
func TestCorpus(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(optest.Corpus(t), "text", "tokenizers", "*"))
	require.NoError(t, err)
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			tokenizer := openCorpus(t, dir)
			cases := corpusCases(t, dir, "encode.json")
			checkPipeline(t, tokenizer, dir, cases)
			for _, c := range cases {
				got, err := tokenizer.AppendEncode(t.Context(), nil, string(c.Text), true)
				require.NoError(t, err, "%q", c.Text)
				assert.Equal(t, append([]int32{}, c.IDs...), append([]int32{}, got...), "%q", c.Text)
			}
			empty, err := tokenizer.Encode(t.Context(), []string{"", "", ""}, EncodeOptions{})
			require.NoError(t, err)
			assert.Equal(t, slices.Repeat(empty.Row(0), 3), empty.IDs, "texts that are all empty")
			model, err := irxml.ReadFile(filepath.Join(dir, detokenizerXML), irxml.ReadOptions{})
			require.NoError(t, err)
			defer model.Close()
			run, err := newModelDecoder(t.Context(), tokenizer, model)
			require.NoError(t, err)
			for _, c := range corpusCases(t, dir, "decode.json") {
				if c.Batch == nil {
					c.Batch, c.Texts = [][]int32{c.IDs}, []textcorpus.String{c.Text}
				}
				got, err := tokenizer.Decode(t.Context(), c.Batch, DecodeOptions{})
				require.NoError(t, err)
				for i := range got {
					byModel, err := run.run(t.Context(), nil, c.Batch[i], DecodeOptions{})
					require.NoError(t, err)
					assert.Equal(t, string(byModel), got[i], "%v", c.Batch[i])
					assert.Equal(t, string(c.Texts[i]), got[i], "%v", c.Batch[i])
				}
			}
		})
	}
}

// checkPipeline compares the tokens of texts, one by one and together, with those of the graph.
func checkPipeline(t *testing.T, tokenizer *Tokenizer, dir string, cases []textcorpus.TokenizerCase) {
	t.Helper()
	if tokenizer.encoder.tail == nil {
		return
	}
	if tokenizer.encoder.direct != nil && tokenizer.decoder.direct != nil {
		assert.Empty(t, tokenizer.compiled, "neither graph is needed")
	}
	graph := graphOf(t, tokenizer, os.DirFS(dir))
	all := make([]string, len(cases))
	for i, c := range cases {
		all[i] = string(c.Text)
		want, err := graph.encode(t.Context(), all[i:i+1], &EncodeOptions{})
		require.NoError(t, err)
		got, err := tokenizer.encoder.encode(t.Context(), all[i:i+1], &EncodeOptions{})
		require.NoError(t, err)
		assert.Equal(t, want, got, "%q", all[i])
	}
	want, err := graph.encode(t.Context(), all, &EncodeOptions{})
	require.NoError(t, err)
	got, err := tokenizer.encoder.encode(t.Context(), all, &EncodeOptions{})
	require.NoError(t, err)
	assert.Equal(t, want, got)
	t.Logf("the graph is recognised: %v", tokenizer.encoder.direct != nil)
}
