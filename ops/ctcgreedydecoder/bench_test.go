package ctcgreedydecoder

import (
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	shape := ir.Shape{500, 8, 71}
	mask := make([]float64, 4000)
	for i := range mask {
		mask[i] = 1
	}
	for _, elementType := range []ir.ElementType{ir.F32, ir.F16} {
		layertest.Benchmark(b, "text_line_"+elementType.String(), &Ops[0], nil,
			layertest.Numbers(b, elementType, shape, layertest.RandomNumbers(rng, 1000, 0.125, shape.Elements())...),
			layertest.Numbers(b, elementType, shape[:2], mask...))
	}
}
