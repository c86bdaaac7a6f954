package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/npy"
)

// The directories of a model that computes vectors, and of a reranker.
var embedder, reranker = filepath.Join("..", "..", "embedding", "testdata", "tiny"), filepath.Join("..", "..", "embedding", "testdata", "reranker")

const cats = "cats sleep\nthe market fell\r\n\ncats like milk"

func TestEmbeddings(t *testing.T) {
	got := vinoir(cats, "embeddings", embedder)
	require.Equal(t, exitGood, got.code, got)
	assert.Equal(t, 4, strings.Count(got.stdout, "\n"), "a line for each text")
	assert.True(t, strings.HasPrefix(got.stdout, "["))
	assert.Empty(t, got.stderr, "there is no terminal")

	file := filepath.Join(t.TempDir(), "cats.txt")
	require.NoError(t, os.WriteFile(file, []byte(cats), 0o600))
	for _, flags := range [][]string{nil, {"--pooling", "mean"}, {"--pooling", "last-token", "--normalize=false"}, {"--query", "--max-length", "3"}, {"--document", "--padding-side", "left"}} {
		args := append([]string{"embeddings", embedder, "--json"}, flags...)
		result := decode[embeddingsResult](t, vinoir(cats, args...))
		assert.Equal(t, []int{4, 16, 4, 16}, []int{result.Texts, result.Width, len(result.Vectors), len(result.Vectors[0])})

		out := filepath.Join(t.TempDir(), "vectors.npy")
		written := decode[embeddingsResult](t, vinoir("", append(args, file, "-o", out)...))
		assert.Equal(t, out, written.File)
		assert.Empty(t, written.Vectors)
		array, err := npy.ReadFile(out)
		require.NoError(t, err)
		tensor, err := array.Tensor(ir.F32, ir.Shape{4, 16})
		require.NoError(t, err)
		for i, vector := range result.Vectors {
			assert.InDeltaSlice(t, vector, ir.Data[float32](tensor)[16*i:16*(i+1)], 1e-6, flags)
		}
	}
	out := filepath.Join(t.TempDir(), "two.npy")
	got = vinoir("", "embeddings", embedder, file, file, "-o", out)
	assert.Equal(t, outcome{exitGood, "precision f32\n" + out + ": vectors of 16 elements of 8 texts\n", ""}, got)
	none := decode[embeddingsResult](t, vinoir("", "embeddings", embedder, "--json"))
	assert.Zero(t, none.Texts)
}

func TestRerank(t *testing.T) {
	result := decode[rerankResult](t, vinoir(cats, "rerank", reranker, "milk for cats", "--json", "--top-n", "9"))
	require.Len(t, result.Matches, 4)
	lines := []string{"cats sleep", "the market fell", "", "cats like milk"}
	for i, m := range result.Matches {
		assert.Equal(t, lines[m.Line-1], m.Text)
		assert.True(t, i == 0 || m.Score <= result.Matches[i-1].Score)
	}
	got := vinoir(cats, "rerank", reranker, "milk for cats")
	assert.Equal(t, exitGood, got.code, got)
	assert.Equal(t, 3, strings.Count(got.stdout, "\n"))
	assert.Contains(t, got.stdout, ": "+result.Matches[0].Text+"\n")
}

func TestEmbeddings_wrongUse(t *testing.T) {
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"embeddings", "requires at least 1 arg(s)", exitUsage},
		{"embeddings EMBEDDER --pooling max", `--pooling max is none of cls, mean, last-token`, exitUsage},
		{"embeddings EMBEDDER --max-length 0", "--max-length 0 is not positive", exitUsage},
		{"embeddings EMBEDDER --padding-side up", "--padding-side up is none of left, right", exitUsage},
		{"embeddings EMBEDDER -o x.txt", "-o x.txt: the name does not end with .npy", exitUsage},
		{"embeddings EMBEDDER --query --document", "--query and --document exclude each other", exitUsage},
		{"embeddings EMBEDDER --threads -1", "--threads -1 is negative", exitUsage},
		{"embeddings EMBEDDER nothere.txt", "open nothere.txt: ", exitFault},
		{"embeddings nothere", "vinoir: nothere: no such directory\n", exitFault},
		{"embeddings embeddings.go", "vinoir: embeddings.go is a file, not a directory with a model and its tokenizer\n", exitFault},
		{"embeddings schema", "vinoir: schema: open openvino_model.xml: no such file or directory: optimum-cli export openvino writes the model", exitFault},
		{"rerank RERANKER", "requires at least 2 arg(s)", exitUsage},
		{"rerank RERANKER cats --top-n 0", "--top-n 0 is not positive", exitUsage},
		{"rerank nothere cats", "vinoir: nothere: no such directory\n", exitFault},
	} {
		args := strings.NewReplacer("EMBEDDER", embedder, "RERANKER", reranker).Replace(c.args)
		got := vinoir("", strings.Fields(args)...)
		assert.Equal(t, c.code, got.code, c.args)
		assert.Contains(t, got.stderr, c.want, c.args)
	}
}
