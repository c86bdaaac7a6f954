package batchnorm

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	op := layertest.Find(b, Ops, 5)
	for _, c := range []struct {
		name  string
		t     ir.ElementType
		shape ir.Shape
	}{
		{"image_f32", ir.F32, ir.Shape{1, 64, 112, 112}},
		{"image_f16", ir.F16, ir.Shape{1, 64, 112, 112}},
		{"rows_f32", ir.F32, ir.Shape{256, 512}},
		{"tiny_f32", ir.F32, ir.Shape{1, 4, 4}},
	} {
		layertest.Benchmark(b, c.name, op, layertest.Attributes{"epsilon", "1e-5"}, inputsOf(b, op, c.t, c.shape, [5][]float64{})...)
	}
}
