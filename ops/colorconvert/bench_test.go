package colorconvert

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for _, name := range []string{"I420toRGB-8", "NV12toRGB-8"} {
		for _, elementType := range []ir.ElementType{ir.U8, ir.F32} {
			layertest.Benchmark(b, name+"_"+elementType.String(), layertest.FindType(b, Ops, name), nil, layertest.Counted(b, elementType, 1, 1080, 1280, 1))
		}
	}
}
