package embedding

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/npy"
	"github.com/vinoir/vinoir/text"
)

var background = context.Background()

// corpusCase is a case of embed.json: what OpenVINO GenAI computes for query and documents.
type corpusCase struct {
	Config         corpusConfig
	Query          string
	Documents      []string
	EmbedDocuments [][]float32  `json:"embed_documents"`
	EmbedQuery     []float32    `json:"embed_query"`
	Rerank         [][2]float32 `json:"rerank"`
}

// corpusConfig is a configuration of GenAI's pipelines.
type corpusConfig struct {
	Pooling             Pooling          `json:"pooling_type"`
	Normalize           *bool            `json:"normalize"`
	MaxLength           int              `json:"max_length"`
	PadToMaxLength      bool             `json:"pad_to_max_length"`
	PaddingSide         text.PaddingSide `json:"padding_side"`
	QueryInstruction    string           `json:"query_instruction"`
	DocumentInstruction string           `json:"embed_instruction"`
	TopN                int              `json:"top_n"`
}

// config returns the same configuration of this package.
func (c *corpusConfig) config() Config {
	config := DefaultConfig()
	if c.Pooling != "" {
		config.Pooling = c.Pooling
	}
	if c.Normalize != nil {
		config.Normalize = *c.Normalize
	}
	config.QueryInstruction, config.DocumentInstruction = c.QueryInstruction, c.DocumentInstruction
	config.Length = Length{MaxLength: c.MaxLength, PadToMaxLength: c.PadToMaxLength, PaddingSide: c.PaddingSide}
	return config
}

func readCases(t *testing.T, folder string) []corpusCase {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "embed.json"))
	require.NoError(t, err)
	var file struct{ Cases []corpusCase }
	require.NoError(t, json.Unmarshal(data, &file))
	require.NotEmpty(t, file.Cases)
	return file.Cases
}

func TestCorpus_embed(t *testing.T) {
	for _, name := range []string{"embed_bert", "embed_qwen3"} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(optest.Corpus(t), "text", "embed", name)
			for _, c := range readCases(t, folder) {
				p, err := withBuiltin().OpenConfig(folder, c.Config.config())
				require.NoError(t, err)
				documents, err := p.EmbedDocuments(background, c.Documents)
				require.NoError(t, err)
				for i, want := range c.EmbedDocuments {
					assert.InDeltaSlice(t, want, documents.Row(i), 1e-4, "%+v: document %d", c.Config, i)
				}
				query, err := p.EmbedQuery(background, c.Query)
				require.NoError(t, err)
				assert.InDeltaSlice(t, c.EmbedQuery, query, 1e-4, "%+v", c.Config)
				require.NoError(t, p.Close())
			}
		})
	}
}

func TestCorpus_rerank(t *testing.T) {
	folder := filepath.Join(optest.Corpus(t), "text", "embed", "rerank_bert")
	for _, c := range readCases(t, folder) {
		config := c.Config.config()
		r, err := withBuiltin().OpenReranker(folder, config.Length)
		require.NoError(t, err)
		got, err := r.Rerank(background, c.Query, c.Documents, RerankOptions{TopN: c.Config.TopN})
		require.NoError(t, err)
		require.Len(t, got, len(c.Rerank))
		for i, want := range c.Rerank {
			assert.Equal(t, int(want[0]), got[i].Index, "%+v", c.Config)
			assert.InDelta(t, want[1], got[i].Score, 1e-4)
		}
		require.NoError(t, r.Close())
	}
}

// TestCorpus_minilm compares vectors of the real all-MiniLM-L6-v2.
func TestCorpus_minilm(t *testing.T) {
	folder := filepath.Join(optest.Corpus(t), "text", "embed", "minilm_l6")
	p := openMiniLM(t, withBuiltin())
	var file struct{ Texts []string }
	data, err := os.ReadFile(filepath.Join(folder, "case.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &file))
	got, err := p.Embed(background, file.Texts)
	require.NoError(t, err)
	array, err := npy.ReadFile(filepath.Join(folder, "vectors.npy"))
	require.NoError(t, err)
	want, err := array.Tensor(ir.F32, ir.Shape{got.Rows, got.Columns})
	require.NoError(t, err)
	assert.InDeltaSlice(t, ir.Data[float32](want), got.Data, 1e-4)
}

// openMiniLM opens all-MiniLM-L6-v2.
func openMiniLM(t testing.TB, o Options) *Pipeline {
	t.Helper()
	corpus := optest.Corpus(t)
	model, err := irxml.ReadFile(filepath.Join(corpus, "zoo", "minilm_l6", "model.xml"), irxml.ReadOptions{})
	require.NoError(t, err)
	tokenizer, err := text.Open(filepath.Join(corpus, "text", "tokenizers", "bert_minilm"))
	require.NoError(t, err)
	config := DefaultConfig()
	config.MaxLength = 256
	p, err := o.New(background, model, tokenizer, config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}
