package batchtospace

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkLayer has the layer after a dilated convolution, without and with crops.
func BenchmarkLayer(b *testing.B) {
	vector := func(values ...int64) *ir.Tensor { return layertest.Ints(b, ir.I64, ir.Shape{4}, values...) }
	data, block, zero := layertest.Counted(b, ir.F32, 4, 128, 32, 32), vector(1, 1, 2, 2), vector(0, 0, 0, 0)
	layertest.Benchmark(b, "whole_f32", &Ops[0], nil, data, block, zero, zero)
	layertest.Benchmark(b, "cropped_f32", &Ops[0], nil, data, block, vector(0, 0, 1, 1), vector(0, 0, 0, 2))
}
