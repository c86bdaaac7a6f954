package searchsorted

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, elementType := range []ir.ElementType{ir.F32, ir.F16, ir.I64} {
		sorted := layertest.RandomNumbers(rng, 1000, 1, 512*63)
		for at := 0; at < len(sorted); at += 63 {
			slices.Sort(sorted[at:][:63])
		}
		layertest.Benchmark(b, "rays "+elementType.String(), &Ops[0], nil, layertest.Numbers(b, elementType, ir.Shape{512, 63}, sorted...),
			layertest.Numbers(b, elementType, ir.Shape{512, 128}, layertest.RandomNumbers(rng, 1000, 1, 512*128)...))
	}
}
