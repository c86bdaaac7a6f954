package ctcloss

import (
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	shape := ir.Shape{4, 100, 80}
	labels := make([]int64, 400)
	for i := range labels {
		labels[i] = rng.Int64N(79)
	}
	layertest.Benchmark(b, "speech_f32", &Ops[0], nil,
		layertest.Numbers(b, ir.F32, shape, layertest.RandomNumbers(rng, 100, 0.0625, shape.Elements())...),
		layertest.Ints(b, ir.I32, ir.Shape{4}, 100, 100, 90, 80), layertest.Ints(b, ir.I32, shape[:2], labels...),
		layertest.Ints(b, ir.I32, ir.Shape{4}, 20, 25, 30, 20))
}
