package fakequantize

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for _, c := range []struct {
		name  string
		t     ir.ElementType
		limit ir.Shape
	}{
		{"tensor_f32", ir.F32, ir.Shape{}},
		{"tensor_f16", ir.F16, ir.Shape{}},
		{"channels_f32", ir.F32, ir.Shape{1, 64, 1, 1}},
	} {
		limit := layertest.Numbers(b, c.t, c.limit)
		layertest.Benchmark(b, c.name, &Ops[0], layertest.Attributes{"levels", "256"},
			layertest.Numbers(b, c.t, ir.Shape{1, 64, 56, 56}), limit, limit, limit, limit)
	}
}
