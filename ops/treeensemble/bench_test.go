package treeensemble

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for name, rows := range map[string]int{"one_row": 1, "batch": 1000} {
		inputs := large(100, 8, 20).inputs(b, ir.F32, rows, 20, numbers(rows*20))
		layertest.Benchmark(b, name, &Ops[0], columns(1, sum), inputs...)
	}
}
