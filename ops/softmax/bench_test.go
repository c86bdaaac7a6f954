package softmax

import (
	"fmt"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for _, c := range []struct {
		name, op string
		t        ir.ElementType
		shape    ir.Shape
		axis     int
	}{
		{"rows_f32", "Softmax-8", ir.F32, ir.Shape{128, 1024}, 1},
		{"rows_f16", "Softmax-8", ir.F16, ir.Shape{128, 1024}, 1},
		{"rows_f64", "Softmax-8", ir.F64, ir.Shape{128, 1024}, 1},
		{"log_rows_f32", "LogSoftmax-5", ir.F32, ir.Shape{128, 1024}, 1},
		{"attention_f32", "Softmax-8", ir.F32, ir.Shape{1, 12, 128, 128}, 3},
		{"channels_f32", "Softmax-8", ir.F32, ir.Shape{1, 21, 128, 128}, 1},
		{"short_rows_f32", "Softmax-8", ir.F32, ir.Shape{8192, 16}, 1},
		{"pairs_f32", "Softmax-8", ir.F32, ir.Shape{8192, 2}, 1},
		{"tiny_f32", "Softmax-8", ir.F32, ir.Shape{1, 10}, 1},
	} {
		op := layertest.FindType(b, Ops, c.op)
		layertest.Benchmark(b, c.name, op, layertest.Attributes{"axis", fmt.Sprint(c.axis)}, layertest.Numbers(b, c.t, c.shape))
	}
}
