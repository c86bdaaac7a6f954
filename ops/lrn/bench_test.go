package lrn

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for _, c := range []struct {
		name string
		axes []float64
	}{
		{"channels_f32", []float64{1}},
		{"spatial_f32", []float64{2, 3}},
	} {
		layertest.Benchmark(b, c.name, &Ops[0], layertest.Attributes{"alpha", "1e-4", "beta", "0.75", "bias", "1", "size", "5"},
			layertest.Numbers(b, ir.F32, ir.Shape{1, 64, 55, 55}), layertest.Numbers(b, ir.I64, ir.Shape{len(c.axes)}, c.axes...))
	}
}
