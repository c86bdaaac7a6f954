package binaryconvolution

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	layertest.Benchmark(b, "xnor", constantFilters(), attributesOf(1, 1, 1, 0), layertest.Counted(b, ir.F32, 1, 64, 56, 56),
		filtersOf(b, ir.Shape{64, 64, 3, 3}, make([]int, 64*64*9)))
}
