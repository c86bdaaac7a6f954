package rangeop

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for _, t := range []ir.ElementType{ir.I64, ir.F32, ir.F16} {
		scalar := func(v int64) *ir.Tensor { return layertest.Ints(b, ir.I64, ir.Shape{}, v) }
		layertest.Benchmark(b, t.String(), layertest.Find(b, Ops, 4), layertest.Attributes{"output_type", t.String()},
			scalar(0), scalar(100000), scalar(1))
	}
}
