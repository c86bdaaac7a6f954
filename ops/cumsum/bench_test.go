package cumsum

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkLayer adds along the last axis and along one in the middle.
func BenchmarkLayer(b *testing.B) {
	for _, elementType := range []ir.ElementType{ir.F32, ir.F16, ir.I32} {
		layertest.Benchmark(b, "rows_"+elementType.String(), &Ops[0], nil, layertest.Numbers(b, elementType, ir.Shape{512, 1024}), layertest.Ints(b, ir.I64, nil, 1))
		layertest.Benchmark(b, "middle_"+elementType.String(), &Ops[0], nil, layertest.Numbers(b, elementType, ir.Shape{8, 256, 128}), layertest.Ints(b, ir.I64, nil, 1))
	}
}
