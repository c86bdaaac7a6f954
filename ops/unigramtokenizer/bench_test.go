package unigramtokenizer

import (
	"strings"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/internal/test/texttest"
)

// BenchmarkLayer cuts the words of a document of 1 MB with the vocabulary of XLM-RoBERTa.
func BenchmarkLayer(b *testing.B) {
	layer := texttest.LayerOf(b, "xlm_roberta", "UnigramTokenizer")
	var row []string
	for _, word := range texttest.Words(texttest.Document(b)) {
		row = append(row, strings.ReplaceAll(string(word), " ", "▁"))
	}
	in := append(texttest.RaggedTensors(b, row), layer.Constants[5:]...)
	layertest.BenchmarkOf(b, "xlm_roberta", &Ops[0], nil, 3, in...)
}
