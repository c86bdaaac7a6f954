package matrixnms

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkLayer has the sizes of PP-YOLO.
func BenchmarkLayer(b *testing.B) {
	const classes, n = 80, 22743
	rng := rand.New(rand.NewPCG(1, 2))
	boxes, scores := make([]float64, 4*n), make([]float64, classes*n)
	for i := range boxes {
		if boxes[i] = 600 * rng.Float64(); i%4 >= 2 {
			boxes[i] = boxes[i-2] + 60*rng.Float64()
		}
	}
	for i := range scores {
		scores[i] = math.Exp(-100 * rng.Float64())
	}
	p := problem{nmsTopK: 400, keepTopK: 100, background: -1, sort: "score", normalized: true, score: 0.01, post: 0.01, sigma: 2,
		boxes: layertest.Numbers(b, ir.F32, ir.Shape{1, n, 4}, boxes...), scores: layertest.Numbers(b, ir.F32, ir.Shape{1, classes, n}, scores...)}
	layertest.Benchmark(b, "ppyolo", &Ops[0], p.attributes(), p.boxes, p.scores)
}
