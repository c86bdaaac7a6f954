package embeddingbag

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkLayer has the bags of a recommendation model.
func BenchmarkLayer(b *testing.B) {
	const rows, row, members, bags = 10000, 64, 10000, 1024
	indices, offsets := make([]int64, members), make([]int64, bags)
	for i := range indices {
		indices[i] = int64(i * 7919 % rows)
	}
	for i := range offsets {
		offsets[i] = int64(i * members / bags)
	}
	for _, elementType := range []ir.ElementType{ir.F32, ir.F16, ir.I8} {
		layertest.Benchmark(b, elementType.String(), layertest.FindType(b, Ops, "EmbeddingBagOffsetsSum-3"), nil, layertest.Numbers(b, elementType, ir.Shape{rows, row}),
			layertest.Ints(b, ir.I64, ir.Shape{members}, indices...), layertest.Ints(b, ir.I64, ir.Shape{bags}, offsets...))
	}
}
