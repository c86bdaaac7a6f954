package grn

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	layertest.Benchmark(b, "image_f32", &Ops[0], layertest.Attributes{"bias", "1"}, layertest.Numbers(b, ir.F32, ir.Shape{1, 64, 56, 56}))
}
