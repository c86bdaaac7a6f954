package spacetobatch

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkLayer has the layer before a dilated convolution, without and with pads.
func BenchmarkLayer(b *testing.B) {
	vector := func(values ...int64) *ir.Tensor { return layertest.Ints(b, ir.I64, ir.Shape{4}, values...) }
	data, block, zero := layertest.Counted(b, ir.F32, 1, 128, 64, 64), vector(1, 1, 2, 2), vector(0, 0, 0, 0)
	layertest.Benchmark(b, "whole_f32", &Ops[0], nil, data, block, zero, zero)
	layertest.Benchmark(b, "padded_f32", &Ops[0], nil, data, block, vector(0, 0, 1, 1), vector(0, 0, 1, 1))
}
