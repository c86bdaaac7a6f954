package selectop

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	cond := layertest.Counted(b, ir.Boolean, 1024, 1024)
	for i := range cond.Bytes() {
		cond.Bytes()[i] = uint8(i*i*7/13) & 1
	}
	full := func() *ir.Tensor { return layertest.Counted(b, ir.F32, 1024, 1024) }
	layertest.Benchmark(b, "of one shape", &Ops[0], nil, cond, full(), full())
	layertest.Benchmark(b, "a value or a tensor", &Ops[0], nil, cond, layertest.Counted(b, ir.F32), full())
	layertest.Benchmark(b, "two values", &Ops[0], nil, cond, layertest.Counted(b, ir.F32), layertest.Counted(b, ir.F32))
	layertest.Benchmark(b, "one condition a row", &Ops[0], nil, layertest.Counted(b, ir.Boolean, 1024, 1), full(), full())
}
