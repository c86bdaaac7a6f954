package convolution

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for _, c := range []struct {
		name          string
		t             ir.ElementType
		data, filters ir.Shape
		at            layertest.Attributes
	}{
		{"1x1_f32", ir.F32, ir.Shape{1, 64, 28, 28}, ir.Shape{64, 64, 1, 1}, nil},
		{"3x3_f32", ir.F32, ir.Shape{1, 32, 28, 28}, ir.Shape{32, 32, 3, 3}, layertest.Attributes{"auto_pad", "same_upper"}},
		{"3x3_f16", ir.F16, ir.Shape{1, 32, 28, 28}, ir.Shape{32, 32, 3, 3}, layertest.Attributes{"auto_pad", "same_upper"}},
		{"first_f32", ir.F32, ir.Shape{1, 3, 112, 112}, ir.Shape{16, 3, 7, 7}, layertest.Attributes{"strides", "2,2", "auto_pad", "same_upper"}},
		{"1d_f32", ir.F32, ir.Shape{1, 16, 1000}, ir.Shape{16, 16, 5}, nil},
		{"depthwise3x3_f32", ir.F32, ir.Shape{1, 96, 56, 56}, ir.Shape{96, 1, 1, 3, 3}, layertest.Attributes{"auto_pad", "same_upper"}},
		{"depthwise3x3s2_f32", ir.F32, ir.Shape{1, 96, 112, 112}, ir.Shape{96, 1, 1, 3, 3}, layertest.Attributes{"auto_pad", "same_upper", "strides", "2,2"}},
		{"depthwise5x5_f32", ir.F32, ir.Shape{1, 240, 28, 28}, ir.Shape{240, 1, 1, 5, 5}, layertest.Attributes{"auto_pad", "same_upper"}},
		{"groups3x3_f32", ir.F32, ir.Shape{1, 32, 28, 28}, ir.Shape{4, 8, 8, 3, 3}, layertest.Attributes{"auto_pad", "same_upper"}},
		{"tiny_f32", ir.F32, ir.Shape{1, 2, 4, 4}, ir.Shape{2, 2, 3, 3}, nil},
	} {
		op := &Ops[len(c.filters)-len(c.data)]
		layertest.Benchmark(b, c.name, op, c.at, layertest.Numbers(b, c.t, c.data), layertest.Numbers(b, c.t, c.filters))
	}
}
