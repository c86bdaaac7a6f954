package fft

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for _, c := range []struct {
		name  string
		shape ir.Shape
		axes  []int64
	}{
		{"DFT-7", ir.Shape{1, 256, 512, 2}, []int64{2}},
		{"IDFT-7", ir.Shape{128, 256, 2}, []int64{0, 1}},
		{"RDFT-9", ir.Shape{1, 64, 64, 64}, []int64{2, 3}},
		{"IRDFT-9", ir.Shape{1, 64, 64, 33, 2}, []int64{2, 3}},
	} {
		layertest.Benchmark(b, c.name, layertest.FindType(b, Ops, c.name), nil,
			layertest.Numbers(b, ir.F32, c.shape), layertest.Ints(b, ir.I64, ir.Shape{len(c.axes)}, c.axes...))
	}
}
