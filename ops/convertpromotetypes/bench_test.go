package convertpromotetypes

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	layertest.Benchmark(b, "f32_i8", &Ops[0], nil, layertest.Numbers(b, ir.F32, ir.Shape{1, 512, 768}), layertest.Numbers(b, ir.I8, ir.Shape{1, 512, 768}))
}
