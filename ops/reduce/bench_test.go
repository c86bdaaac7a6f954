package reduce

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for _, c := range []struct {
		name, op string
		t        ir.ElementType
		shape    ir.Shape
		axes     []int64
	}{
		{"mean_last_f32", "ReduceMean-1", ir.F32, ir.Shape{128, 12, 768}, []int64{2}},
		{"mean_image_f32", "ReduceMean-1", ir.F32, ir.Shape{8, 64, 56, 56}, []int64{2, 3}},
		{"mean_image_f16", "ReduceMean-1", ir.F16, ir.Shape{8, 64, 56, 56}, []int64{2, 3}},
		{"sum_first_f32", "ReduceSum-1", ir.F32, ir.Shape{1000, 1000}, []int64{0}},
		{"max_last_f32", "ReduceMax-1", ir.F32, ir.Shape{1000, 1000}, []int64{1}},
		{"l2_last_f32", "ReduceL2-4", ir.F32, ir.Shape{1000, 1000}, []int64{1}},
		{"sum_all_i32", "ReduceSum-1", ir.I32, ir.Shape{1000, 1000}, []int64{0, 1}},
		{"tiny_f32", "ReduceSum-1", ir.F32, ir.Shape{4, 4}, []int64{1}},
	} {
		layertest.Benchmark(b, c.name, layertest.FindType(b, Ops, c.op), nil,
			layertest.Numbers(b, c.t, c.shape), layertest.Ints(b, ir.I64, ir.Shape{len(c.axes)}, c.axes...))
	}
}
