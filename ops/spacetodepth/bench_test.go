package spacetodepth

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkLayer has the first layer of a detector, which makes channels of every second pixel.
func BenchmarkLayer(b *testing.B) {
	for _, mode := range []string{"blocks_first", "depth_first"} {
		for _, elementType := range []ir.ElementType{ir.F32, ir.U8} {
			layertest.Benchmark(b, mode+"_"+elementType.String(), &Ops[0], layertest.Attributes{"mode", mode, "block_size", "2"}, layertest.Counted(b, elementType, 1, 3, 320, 480))
		}
	}
}
