package activation

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkSwish(b *testing.B) {
	for _, elementType := range []ir.ElementType{ir.F32, ir.F16} {
		data := layertest.Numbers(b, elementType, ir.Shape{100000})
		layertest.Benchmark(b, elementType.String(), layertest.FindType(b, Ops, "Swish-4"), nil, data)
	}
}
