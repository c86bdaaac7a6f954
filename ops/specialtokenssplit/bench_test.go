package specialtokenssplit

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/internal/test/texttest"
)

// BenchmarkLayer looks for the special tokens of two models in a document of 1 MB.
func BenchmarkLayer(b *testing.B) {
	for _, model := range []string{"qwen3", "llama3_1"} {
		layer := texttest.LayerOf(b, model, "SpecialTokensSplit")
		in := inputs(b, [][]string{{string(texttest.Document(b))}}, nil, string(layer.Constants[5].Bytes()))
		layertest.BenchmarkOf(b, model, &Ops[0], nil, 6, in...)
	}
}
