package nmsrotated

import (
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkLayer has many boxes that overlap.
func BenchmarkLayer(b *testing.B) {
	const n = 2000
	rng := rand.New(rand.NewPCG(1, 2))
	var boxes, scores []float64
	for range n {
		boxes = append(boxes, 1000*rng.Float64(), 1000*rng.Float64(), 10+50*rng.Float64(), 10+50*rng.Float64(), 3*rng.Float64())
		scores = append(scores, rng.Float64())
	}
	p := problem{limit: 1000, iou: 0.1, score: 0.1, descending: true, clockwise: true,
		boxes: layertest.Numbers(b, ir.F32, ir.Shape{1, n, 5}, boxes...), scores: layertest.Numbers(b, ir.F32, ir.Shape{1, 1, n}, scores...)}
	layertest.Benchmark(b, "boxes", &Ops[0], p.attributes(), p.inputs(b)...)
}
