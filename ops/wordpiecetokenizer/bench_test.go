package wordpiecetokenizer

import (
	"bytes"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/internal/test/texttest"
)

// BenchmarkLayer cuts the words of a document of 1 MB with the vocabulary of BERT.
func BenchmarkLayer(b *testing.B) {
	layer := texttest.LayerOf(b, "bert_minilm", "WordpieceTokenizer")
	var row []string
	for _, word := range texttest.Words(bytes.ToLower(texttest.Document(b))) {
		if word = bytes.TrimSpace(word); len(word) > 0 {
			row = append(row, string(word))
		}
	}
	in := append(texttest.RaggedTensors(b, row), layer.Constants[5:]...)
	layertest.BenchmarkOf(b, "bert", &Ops[0], nil, 3, in...)
}
