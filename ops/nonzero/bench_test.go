package nonzero

import (
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name  string
		t     ir.ElementType
		every int
		shape ir.Shape
	}{
		{"half of f32", ir.F32, 2, ir.Shape{1024, 1024}},
		{"few of f32", ir.F32, 100, ir.Shape{1024, 1024}},
		{"half of u8", ir.U8, 2, ir.Shape{1024, 1024}},
		{"half of boolean in short rows", ir.Boolean, 2, ir.Shape{1 << 18, 4}},
		{"half of boolean vector", ir.Boolean, 2, ir.Shape{1 << 20}},
	} {
		layertest.Benchmark(b, c.name, &Ops[0], nil, sparse(b, rng, c.t, c.every, c.shape...))
	}
}
