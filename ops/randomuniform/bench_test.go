package randomuniform

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for _, elementType := range []ir.ElementType{ir.F32, ir.F16, ir.I64} {
		for _, alignment := range []string{"tensorflow", "pytorch"} {
			layertest.Benchmark(b, elementType.String()+" "+alignment, &Ops[0], attributesOf(elementType, alignment, 3, 5), bounds(b, elementType, 1<<18, 0, 1000)...)
		}
	}
}
