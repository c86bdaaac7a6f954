package mvn

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	op := layertest.Find(b, Ops, 6)
	attributes := layertest.Attributes{"eps", "1e-5", "normalize_variance", "true", "eps_mode", "inside_sqrt"}
	for _, c := range []struct {
		name  string
		t     ir.ElementType
		shape ir.Shape
		axes  []float64
	}{
		{"rows_f32", ir.F32, ir.Shape{128, 1024}, []float64{1}},
		{"rows_f16", ir.F16, ir.Shape{128, 1024}, []float64{1}},
		{"rows_f64", ir.F64, ir.Shape{128, 1024}, []float64{1}},
		{"image_f32", ir.F32, ir.Shape{1, 64, 56, 56}, []float64{2, 3}},
		{"channels_f32", ir.F32, ir.Shape{1, 64, 56, 56}, []float64{1}},
		{"tiny_f32", ir.F32, ir.Shape{1, 16}, []float64{1}},
	} {
		layertest.Benchmark(b, c.name, op, attributes, layertest.Numbers(b, c.t, c.shape), layertest.Numbers(b, ir.I64, ir.Shape{len(c.axes)}, c.axes...))
	}
}
