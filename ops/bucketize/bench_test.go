package bucketize

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	buckets := make([]int64, 31)
	for i := range buckets {
		buckets[i] = int64(i * 4)
	}
	for _, elementType := range []ir.ElementType{ir.I32, ir.F32, ir.F16} {
		layertest.Benchmark(b, "positions "+elementType.String(), &Ops[0], attributesOf(true, "i64"), layertest.Counted(b, elementType, 512, 512),
			layertest.Ints(b, ir.I32, ir.Shape{len(buckets)}, buckets...))
	}
}
