package vocab

import (
	"fmt"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/internal/test/texttest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkLayer decodes 4096 ids of a vocabulary of 150,000 words, and encodes the words.
func BenchmarkLayer(b *testing.B) {
	words, ids := make([]string, 150000), make([]int32, 150000)
	for i := range words {
		words[i], ids[i] = fmt.Sprint(i), int32(i)
	}
	list, some := make([]int64, 4096), make([]string, 4096)
	for i := range list {
		list[i] = int64(i * 7919 % len(words))
		some[i] = words[list[i]]
	}
	vocabulary := texttest.StringTensors(b, words...)
	layertest.BenchmarkOf(b, "decode", op(b, "VocabDecoder"), nil, 5, append([]*ir.Tensor{layertest.Ints(b, ir.I32, ir.Shape{1, 4096}, list...)}, vocabulary...)...)
	in := append(append(texttest.StringTensors(b, some...), vocabulary...), texttest.Vector(b, ids...), texttest.Vector(b, int32(-1)))
	layertest.Benchmark(b, "encode", op(b, "VocabEncoder"), nil, in...)
}
