package normalizel2

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for _, c := range []struct {
		name  string
		shape ir.Shape
		axis  float64
	}{
		{"rows_f32", ir.Shape{128, 1024}, 1},
		{"channels_f32", ir.Shape{1, 512, 38, 38}, 1},
	} {
		layertest.Benchmark(b, c.name, &Ops[0], layertest.Attributes{"eps", "1e-10", "eps_mode", "add"},
			layertest.Numbers(b, ir.F32, c.shape), layertest.Numbers(b, ir.I64, ir.Shape{1}, c.axis))
	}
}
