package pooling

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	type at = layertest.Attributes
	for _, c := range []struct {
		name, op string
		t        ir.ElementType
		data     ir.Shape
		at       at
	}{
		{"max3x3_f32", "MaxPool-8", ir.F32, ir.Shape{1, 64, 112, 112}, at{"kernel", "3,3", "strides", "2,2", "pads_begin", "1,1", "pads_end", "1,1"}},
		{"max2x2_f16", "MaxPool-8", ir.F16, ir.Shape{1, 64, 56, 56}, at{"kernel", "2,2", "strides", "2,2"}},
		{"mean2x2_f32", "AvgPool-14", ir.F32, ir.Shape{1, 64, 56, 56}, at{"kernel", "2,2", "strides", "2,2"}},
		{"mean3x3_f32", "AvgPool-14", ir.F32, ir.Shape{1, 288, 35, 35}, at{"kernel", "3,3", "strides", "1,1", "pads_begin", "1,1", "pads_end", "1,1", "exclude-pad", "true"}},
		{"global_f32", "AvgPool-14", ir.F32, ir.Shape{1, 1024, 7, 7}, at{"kernel", "7,7", "strides", "1,1"}},
		{"tiny_f32", "MaxPool-8", ir.F32, ir.Shape{1, 2, 4, 4}, at{"kernel", "2,2", "strides", "1,1"}},
	} {
		layertest.Benchmark(b, c.name, layertest.FindType(b, Ops, c.op), c.at, layertest.Numbers(b, c.t, c.data))
	}
}
