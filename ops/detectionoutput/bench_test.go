package detectionoutput

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkLayer has the sizes of SSD with MobileNet.
func BenchmarkLayer(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	p := random(rng, 2)
	p.images, p.priors, p.classes, p.topK, p.keepTopK, p.background = 1, 1917, 91, 100, 100, 0
	p.share, p.normalized, p.encoded, p.center, p.decrease, p.refine, p.own = true, true, false, true, false, false, false
	p.overlap, p.confidence = 0.6, 0.3
	p.inputs = [][]float64{make([]float64, 4*p.priors), make([]float64, p.classes*p.priors), make([]float64, 8*p.priors)}
	for _, values := range p.inputs {
		for i := range values {
			values[i] = math.Exp(-5 * rng.Float64())
		}
	}
	layertest.Benchmark(b, "ssd", &Ops[0], p.attributes(), p.tensors(b, ir.F32)...)
}
