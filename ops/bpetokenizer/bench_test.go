package bpetokenizer

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/internal/test/texttest"
)

// BenchmarkLayer cuts the words of a document of 1 MB with the vocabulary of Qwen 3.
func BenchmarkLayer(b *testing.B) {
	layer := texttest.LayerOf(b, "qwen3", "BPETokenizer")
	var row []string
	for _, word := range texttest.Words(texttest.Document(b)) {
		row = append(row, string(word))
	}
	in := append(texttest.RaggedTensors(b, row), layer.Constants[5:]...)
	layertest.BenchmarkOf(b, "qwen3", &Ops[0], nil, 3, in...)
}
