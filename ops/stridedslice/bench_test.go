package stridedslice

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	data := layertest.Counted(b, ir.F32, 1024, 1024)
	two := func(v, w int64) *ir.Tensor { return layertest.Ints(b, ir.I64, ir.Shape{2}, v, w) }
	layertest.Benchmark(b, "half columns", &Ops[0], nil, data, two(0, 0), two(1024, 512), two(1, 1))
	layertest.Benchmark(b, "even columns", &Ops[0], nil, data, two(0, 0), two(1024, 1024), two(1, 2))
	layertest.Benchmark(b, "even rows", &Ops[0], nil, data, two(0, 0), two(1024, 1024), two(2, 1))
}
