package priorbox

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	image := layertest.Ints(b, ir.I64, ir.Shape{2}, 512, 512)
	layertest.Benchmark(b, "ssd512", &Ops[0],
		layertest.Attributes{"min_size", "35.8", "max_size", "76.8", "aspect_ratio", "2", "flip", "true", "step", "8", "offset", "0.5", "variance", "0.1,0.1,0.2,0.2"},
		layertest.Ints(b, ir.I64, ir.Shape{2}, 64, 64), image)
	layertest.Benchmark(b, "clustered", &Ops[2],
		layertest.Attributes{"width", "9,20,30,43,60", "height", "18,38,60,90,130", "step", "16", "offset", "0.5", "variance", "0.1,0.1,0.2,0.2"},
		layertest.Ints(b, ir.I64, ir.Shape{2}, 32, 32), image)
}
