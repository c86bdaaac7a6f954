package reverse

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkLayer reverses sequences of features, and the columns of an image.
func BenchmarkLayer(b *testing.B) {
	index := layertest.Attributes{"mode", "index"}
	layertest.Benchmark(b, "time_f32", &Ops[0], index, layertest.Counted(b, ir.F32, 8, 100, 256), layertest.Ints(b, ir.I64, ir.Shape{1}, 1))
	layertest.Benchmark(b, "columns_u8", &Ops[0], index, layertest.Counted(b, ir.U8, 3, 480, 640), layertest.Ints(b, ir.I64, ir.Shape{1}, -1))
}
