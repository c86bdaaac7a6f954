package nonmaxsuppression

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// detections returns boxes and scores as the head of a detector gives them: most scores are low,
// and high ones come in groups of boxes that overlap.
func detections(b testing.TB, t ir.ElementType, classes, n int) (boxes, scores *ir.Tensor) {
	rng := rand.New(rand.NewPCG(1, 2))
	boxNumbers, scoreNumbers := make([]float64, 4*n), make([]float64, classes*n)
	x, y := 0., 0.
	for i := range n {
		if i%8 == 0 {
			x, y = 600*rng.Float64(), 600*rng.Float64()
		}
		left, top := x+10*rng.Float64(), y+10*rng.Float64()
		copy(boxNumbers[4*i:], []float64{left, top, left + 10 + 40*rng.Float64(), top + 10 + 40*rng.Float64()})
	}
	for i := range scoreNumbers {
		scoreNumbers[i] = 0.4 * math.Exp(-8*rng.Float64())
	}
	return layertest.Numbers(b, t, ir.Shape{1, n, 4}, boxNumbers...), layertest.Numbers(b, t, ir.Shape{1, classes, n}, scoreNumbers...)
}

func BenchmarkLayer(b *testing.B) {
	for _, c := range []struct {
		name           string
		t              ir.ElementType
		classes, boxes int
		score, sigma   float64
	}{
		{"few candidates", ir.F32, 80, 25200, 0.35, 0},
		{"many candidates", ir.F32, 1, 8400, 0.001, 0},
		{"f16", ir.F16, 80, 25200, 0.35, 0},
		{"soft", ir.F32, 1, 8400, 0.001, 0.5},
	} {
		boxes, scores := detections(b, c.t, c.classes, c.boxes)
		scalar := func(v float64) *ir.Tensor { return layertest.Numbers(b, ir.F32, ir.Shape{}, v) }
		layertest.Benchmark(b, c.name, layertest.Find(b, Ops, 9), nil, boxes, scores,
			layertest.Ints(b, ir.I64, ir.Shape{}, 300), scalar(0.6), scalar(c.score), scalar(c.sigma))
	}
}
