package slicescatter

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	data := layertest.Counted(b, ir.F32, 1024, 1024)
	one := func(v int64) *ir.Tensor { return layertest.Ints(b, ir.I64, ir.Shape{1}, v) }
	layertest.Benchmark(b, "every other row", &Ops[0], nil, data, layertest.Counted(b, ir.F32, 512, 1024), one(0), one(1024), one(2), one(0))
	layertest.Benchmark(b, "every other column", &Ops[0], nil, data, layertest.Counted(b, ir.F32, 1024, 512), one(0), one(1024), one(2), one(1))
}
