package gridsample

import (
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	grid := make([]float64, 2*56*56)
	for i := range grid {
		grid[i] = 2.2*rng.Float64() - 1.1
	}
	for _, mode := range modes {
		l := &layer{mode: mode, padding: "zeros"}
		layertest.Benchmark(b, mode+"_f32", &Ops[0], l.attributes(),
			layertest.Numbers(b, ir.F32, ir.Shape{1, 64, 56, 56}), layertest.Numbers(b, ir.F32, ir.Shape{1, 56, 56, 2}, grid...))
	}
	windows := layertest.Numbers(b, ir.F32, ir.Shape{38, 9, 9, 2}, grid[:38*9*9*2]...)
	layertest.Benchmark(b, "one_channel_f32", &Ops[0], (&layer{mode: "bilinear", padding: "zeros", align: true}).attributes(),
		layertest.Numbers(b, ir.F32, ir.Shape{38, 1, 40, 50}), windows)
}
