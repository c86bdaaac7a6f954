package textcases_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/embedding"
	"github.com/vinoir/vinoir/internal/conformance"
	"github.com/vinoir/vinoir/internal/conformance/textcases"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/npy"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/ops/extension"
)

// writeJSON writes value as a file.
func writeJSON(t *testing.T, dir, name string, value any) {
	t.Helper()
	data, err := json.Marshal(value)
	require.NoError(t, err)
	write(t, dir, name, string(data))
}

// embeddings copies the models of package embedding's tests into the folders of a corpus, and
// writes the files of cases with what they compute. It returns the corpus.
func embeddings(t *testing.T) string {
	t.Helper()
	const from = "../../../embedding/testdata"
	corpus := t.TempDir()
	for to, name := range map[string]string{"text/embed/tiny": "tiny", "text/embed/reranker": "reranker", "text/tokenizers/words": "tiny", "zoo/tiny": "tiny"} {
		require.NoError(t, os.CopyFS(filepath.Join(corpus, to), os.DirFS(filepath.Join(from, name))))
	}
	o := embedding.Options{Ops: builtin.Ops()}
	config := embedding.DefaultConfig()
	config.Pooling, config.Normalize, config.QueryInstruction, config.DocumentInstruction = embedding.Mean, false, "rain ", "snow "
	config.MaxLength, config.PadToMaxLength, config.PaddingSide = 8, true, "left"
	p, err := o.OpenConfig(filepath.Join(from, "tiny"), config)
	require.NoError(t, err)
	defer p.Close()
	documents := []string{"cats sleep", "milk", "the market fell"}
	vectors, err := p.EmbedDocuments(t.Context(), documents)
	require.NoError(t, err)
	query, err := p.EmbedQuery(t.Context(), "kitten")
	require.NoError(t, err)
	folder := filepath.Join(corpus, "text", "embed")
	writeJSON(t, filepath.Join(folder, "tiny"), "embed.json", object{"atol": 1e-6, "cases": []object{{
		"config": object{
			"pooling_type": "MEAN", "normalize": false, "max_length": 8, "pad_to_max_length": true, "padding_side": "left",
			"query_instruction": "rain ", "embed_instruction": "snow ",
		},
		"documents": documents, "query": "kitten", "embed_query": query, "embed_documents": [][]float32{vectors.Row(0), vectors.Row(1), vectors.Row(2)},
	}}})

	r, err := o.OpenReranker(filepath.Join(from, "reranker"), embedding.Length{})
	require.NoError(t, err)
	defer r.Close()
	matches, err := r.Rerank(t.Context(), "kitten", documents, embedding.RerankOptions{TopN: 2})
	require.NoError(t, err)
	var ranked [][2]any
	for _, m := range matches {
		ranked = append(ranked, [2]any{m.Index, m.Score})
	}
	writeJSON(t, filepath.Join(folder, "reranker"), "embed.json", object{"atol": 1e-6, "cases": []object{
		{"config": object{"top_n": 2}, "documents": documents, "query": "kitten", "rerank": ranked},
	}})

	config = embedding.DefaultConfig()
	config.MaxLength = 16
	plain, err := o.OpenConfig(filepath.Join(from, "tiny"), config)
	require.NoError(t, err)
	defer plain.Close()
	all, err := plain.Embed(t.Context(), documents)
	require.NoError(t, err)
	far := filepath.Join(folder, "far")
	writeJSON(t, far, "case.json", object{
		"model": "zoo/tiny/openvino_model.xml (random)", "tokenizer": "tokenizers/words with max_length 16", "texts": documents, "max_rel": 1e-6,
	})
	tensor, err := ir.TensorOf(ir.F32, ir.Shape{all.Rows, all.Columns}, all.Data)
	require.NoError(t, err)
	require.NoError(t, npy.WriteFile(filepath.Join(far, "vectors.npy"), tensor))
	return corpus
}

// TestFind_embeddings has all kinds of cases of embeddings. Those whose expected values are changed
// fail.
func TestFind_embeddings(t *testing.T) {
	corpus := embeddings(t)
	results := run(t, filepath.Join(corpus, "text"))
	require.Len(t, results, 3)
	for _, name := range []string{"text.embed/tiny/0", "text.embed/reranker/0", "text.embed/far/vectors"} {
		assert.Equal(t, conformance.Passed, results[name].Outcome, "%s: %s", name, results[name].Message)
	}
	r, err := conformance.NewRunner(append(builtin.Ops(), extension.Ops()...)...)
	require.NoError(t, err)
	for _, c := range []struct{ folder, file, before, after, message string }{
		{"tiny", "embed.json", `"embed_query":[`, `"embed_query":[9`, "query: element 0 is "},
		{"tiny", "embed.json", `"embed_documents":[[`, `"embed_documents":[[9`, "document 0: element 0 is "},
		{"tiny", "embed.json", `"documents":["cats sleep",`, `"documents":[`, "the number of documents is 2, want 3"},
		{"tiny", "embed.json", `"MEAN"`, `"none"`, `Pooling is "none"`},
		{"tiny", "openvino_model.xml", "<net", "net", "openvino_model.xml"},
		{"reranker", "embed.json", `"rerank":[[`, `"rerank":[[1`, "the list of documents is "},
		{"reranker", "embed.json", `,0.`, `,1.`, "score 0 is "},
		{"reranker", "embed.json", `"top_n":2`, `"top_n":-2`, "TopN is negative"},
		{"reranker", "openvino_model.xml", "<net", "net", "openvino_model.xml"},
		{"far", "case.json", `"max_rel":`, `"max_rel":-`, "element 0 is "},
		{"far", "case.json", `"cats sleep",`, ``, "f32"},
		{"far", "case.json", `zoo/tiny`, `zoo/none`, "openvino_model.xml"},
		{"far", "case.json", `tokenizers/words`, `tokenizers/none`, "openvino_tokenizer.xml"},
		{"far", "case.json", `with max_length`, `with`, "case.json: tokenizer"},
		{"far", "case.json", `length 16`, `length -16`, "MaxLength is negative"},
		{"far", "vectors.npy", "NUMPY", "numpy", "vectors.npy"},
	} {
		folder := filepath.Join(corpus, "text", "embed", c.folder)
		right, err := os.ReadFile(filepath.Join(folder, c.file))
		require.NoError(t, err)
		require.Contains(t, string(right), c.before)
		write(t, folder, c.file, strings.Replace(string(right), c.before, c.after, 1))
		cases, err := conformance.Find(folder, nil, textcases.Find)
		require.NoError(t, err)
		require.Len(t, cases, 1)
		got := r.Run(t.Context(), cases[0])
		assert.Equal(t, conformance.Failed, got.Outcome, c.after)
		assert.Contains(t, got.Message, c.message)
		write(t, folder, c.file, string(right))
	}
	write(t, filepath.Join(corpus, "text", "embed", "tiny"), "embed.json", "{")
	_, err = conformance.Find(corpus, nil, textcases.Find)
	assert.ErrorContains(t, err, "embed.json: ")
}
