package pad

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	data := layertest.Counted(b, ir.F32, 1, 64, 112, 112)
	channels := layertest.Counted(b, ir.F32, 1, 112, 112, 64)
	inner := layertest.Ints(b, ir.I64, ir.Shape{4}, 0, 0, 1, 1)
	middle := layertest.Ints(b, ir.I64, ir.Shape{4}, 0, 1, 1, 0)
	for m := constant; m <= symmetric; m++ {
		at := layertest.Attributes{"pad_mode", m.String()}
		layertest.Benchmark(b, m.String()+" of the last axes", &Ops[1], at, data, inner, inner)
		layertest.Benchmark(b, m.String()+" of axes before channels", &Ops[1], at, channels, middle, middle)
	}
}
