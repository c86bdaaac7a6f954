package segmentmax

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	ids := make([]int64, 12000)
	for i := range ids {
		ids[i] = int64(i / 12)
	}
	for _, elementType := range []ir.ElementType{ir.F32, ir.F16, ir.I32} {
		layertest.Benchmark(b, "points "+elementType.String(), &Ops[0], attributesOf("zero"),
			layertest.Counted(b, elementType, len(ids), 32), layertest.Ints(b, ir.I64, ir.Shape{len(ids)}, ids...))
	}
}
