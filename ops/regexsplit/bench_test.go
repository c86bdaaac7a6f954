package regexsplit

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/internal/test/texttest"
)

// BenchmarkLayer splits a document of 1 MB with the pattern of Qwen 3.
func BenchmarkLayer(b *testing.B) {
	layer := texttest.LayerOf(b, "qwen3", "RegexSplit")
	in := inputs(b, [][]string{{string(texttest.Document(b))}}, []bool{false}, string(layer.Constants[6].Bytes()))
	layertest.BenchmarkOf(b, "qwen3", &Ops[0], layertest.Attributes{"behaviour", "isolate"}, 6, in...)
}
