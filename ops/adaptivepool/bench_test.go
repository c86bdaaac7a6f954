package adaptivepool

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for _, c := range []struct {
		name, op string
		t        ir.ElementType
		data     ir.Shape
		length   int64
	}{
		{"mean7_f32", "AdaptiveAvgPool-8", ir.F32, ir.Shape{1, 256, 28, 28}, 7},
		{"mean7_f16", "AdaptiveAvgPool-8", ir.F16, ir.Shape{1, 256, 28, 28}, 7},
		{"global_f32", "AdaptiveAvgPool-8", ir.F32, ir.Shape{1, 1024, 7, 7}, 1},
		{"max7_f32", "AdaptiveMaxPool-8", ir.F32, ir.Shape{1, 256, 28, 28}, 7},
	} {
		layertest.Benchmark(b, c.name, layertest.FindType(b, Ops, c.op), nil, layertest.Numbers(b, c.t, c.data), layertest.Ints(b, ir.I64, ir.Shape{2}, c.length, c.length))
	}
}
