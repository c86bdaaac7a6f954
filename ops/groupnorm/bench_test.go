package groupnorm

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for _, c := range []struct {
		name  string
		t     ir.ElementType
		shape ir.Shape
	}{
		{"image_f32", ir.F32, ir.Shape{1, 64, 56, 56}},
		{"image_f16", ir.F16, ir.Shape{1, 64, 56, 56}},
	} {
		vector := layertest.Numbers(b, c.t, ir.Shape{c.shape[1]})
		layertest.Benchmark(b, c.name, &Ops[0], layertest.Attributes{"num_groups", "32", "epsilon", "1e-5"},
			layertest.Numbers(b, c.t, c.shape), vector, vector)
	}
}
