package fakeconvert

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	layertest.Benchmark(b, "tensor_f32", &Ops[0], nil, layertest.Counted(b, ir.F32, 1, 128, 768), layertest.Numbers(b, ir.F32, ir.Shape{}, 2))
}
