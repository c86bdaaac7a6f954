package gathertree

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkLayer follows the beams of a batch of sentences.
func BenchmarkLayer(b *testing.B) {
	shape := ir.Shape{100, 32, 8}
	parents, lengths := make([]int64, shape.Elements()), make([]int64, 32)
	for i := range parents {
		parents[i] = int64(i * 7 % 11 % 8)
	}
	for i := range lengths {
		lengths[i] = int64(60 + i)
	}
	layertest.Benchmark(b, "beams_i32", &Ops[0], nil, layertest.Counted(b, ir.I32, shape...), layertest.Ints(b, ir.I32, shape, parents...),
		layertest.Ints(b, ir.I32, ir.Shape{32}, lengths...), layertest.Ints(b, ir.I32, nil, 5))
}
