package interpolate

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for _, c := range []struct {
		name, mode string
		t          ir.ElementType
		image      ir.Shape
		length     int64
	}{
		{"nearest2x_f32", "nearest", ir.F32, ir.Shape{1, 64, 56, 56}, 112},
		{"nearest2x_u8", "nearest", ir.U8, ir.Shape{1, 64, 56, 56}, 112},
		{"linear_onnx2x_f32", "linear_onnx", ir.F32, ir.Shape{1, 64, 56, 56}, 112},
		{"linear_onnx2x_f16", "linear_onnx", ir.F16, ir.Shape{1, 64, 56, 56}, 112},
		{"linear_onnx_half_f32", "linear_onnx", ir.F32, ir.Shape{1, 64, 112, 112}, 56},
		{"linear2x_f32", "linear", ir.F32, ir.Shape{1, 16, 56, 56}, 112},
		{"cubic2x_f32", "cubic", ir.F32, ir.Shape{1, 64, 56, 56}, 112},
		{"bilinear_pillow2x_f32", "bilinear_pillow", ir.F32, ir.Shape{1, 64, 56, 56}, 112},
		{"bicubic_pillow_half_f32", "bicubic_pillow", ir.F32, ir.Shape{1, 64, 112, 112}, 56},
	} {
		at := layertest.Attributes{"mode", c.mode, "shape_calculation_mode", "sizes", "nearest_mode", "floor"}
		if c.mode == "nearest" {
			at = append(at, "coordinate_transformation_mode", "asymmetric")
		}
		layertest.Benchmark(b, c.name, &Ops[2], at, layertest.Numbers(b, c.t, c.image),
			layertest.Ints(b, ir.I64, ir.Shape{2}, c.length, c.length), layertest.Ints(b, ir.I64, ir.Shape{2}, 2, 3))
	}
}
