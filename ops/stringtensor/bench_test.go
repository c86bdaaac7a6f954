package stringtensor

import (
	"strings"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkLayer makes the strings of a detokenizer, and the bytes for a tokenizer.
func BenchmarkLayer(b *testing.B) {
	const n = 4000
	begins, ends := make([]int64, n), make([]int64, n)
	for i := range begins {
		begins[i], ends[i] = int64(40*i), int64(40*i+40)
	}
	layertest.Benchmark(b, "pack", &Ops[0], nil, layertest.Ints(b, ir.I32, ir.Shape{n}, begins...), layertest.Ints(b, ir.I32, ir.Shape{n}, ends...), symbolsOf(b, strings.Repeat("a", 40*n)))
	texts := make([]string, n)
	for i := range texts {
		texts[i] = strings.Repeat("a", 5+i%55)
	}
	b.Run("unpack", func(b *testing.B) {
		for b.Loop() {
			if _, err := layertest.RunOutputs(&Ops[1], nil, 1, 3, stringsOf(b, ir.Shape{n}, texts...)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
