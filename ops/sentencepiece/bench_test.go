package sentencepiece

import (
	"strings"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkLayer encodes a document, and decodes as many ids.
func BenchmarkLayer(b *testing.B) {
	layertest.BenchmarkOf(b, "tokenizer", find(b, "SentencepieceTokenizer"), nil, 3, model(b), stringsOf(b, strings.Repeat("ab a b", 1<<16)))
	ids, err := ir.NewTensor(ir.I32, 16, 1<<12)
	if err != nil {
		b.Fatal(err)
	}
	for i := range ir.Data[int32](ids) {
		ir.Data[int32](ids)[i] = int32(i % 7)
	}
	layertest.BenchmarkOf(b, "detokenizer", find(b, "SentencepieceDetokenizer"), nil, 3, model(b), ids)
}
