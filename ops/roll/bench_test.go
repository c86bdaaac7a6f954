package roll

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkLayer shifts the windows of a Swin transformer, and rows by some elements.
func BenchmarkLayer(b *testing.B) {
	shift := layertest.Ints(b, ir.I64, ir.Shape{2}, -3, -3)
	layertest.Benchmark(b, "swin_f32", &Ops[0], nil, layertest.Counted(b, ir.F32, 1, 56, 56, 96), shift, layertest.Ints(b, ir.I64, ir.Shape{2}, 1, 2))
	layertest.Benchmark(b, "rows_u8", &Ops[0], nil, layertest.Counted(b, ir.U8, 512, 512), shift, layertest.Ints(b, ir.I64, ir.Shape{2}, 0, 1))
}
