package convolutionbackpropdata

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	type at = layertest.Attributes
	for _, c := range []struct {
		name          string
		t             ir.ElementType
		data, filters ir.Shape
		at            at
	}{
		{"2x2s2_f32", ir.F32, ir.Shape{1, 64, 28, 28}, ir.Shape{64, 32, 2, 2}, at{"strides", "2,2"}},
		{"3x3_f32", ir.F32, ir.Shape{1, 32, 28, 28}, ir.Shape{32, 32, 3, 3}, at{"pads_begin", "1,1", "pads_end", "1,1"}},
		{"4x4s2_f32", ir.F32, ir.Shape{1, 32, 28, 28}, ir.Shape{32, 16, 4, 4}, at{"strides", "2,2", "pads_begin", "1,1", "pads_end", "1,1"}},
		{"4x4s2_f16", ir.F16, ir.Shape{1, 32, 28, 28}, ir.Shape{32, 16, 4, 4}, at{"strides", "2,2", "pads_begin", "1,1", "pads_end", "1,1"}},
		{"groups4x4s2_f32", ir.F32, ir.Shape{1, 32, 28, 28}, ir.Shape{32, 1, 1, 4, 4}, at{"strides", "2,2", "pads_begin", "1,1", "pads_end", "1,1"}},
	} {
		op := &Ops[len(c.filters)-len(c.data)]
		layertest.Benchmark(b, c.name, op, c.at, layertest.Numbers(b, c.t, c.data), layertest.Numbers(b, c.t, c.filters))
	}
}
