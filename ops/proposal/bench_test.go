package proposal

import (
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	at := simple()
	at.baseSize, at.featStride, at.minSize, at.nmsThresh = 16, 16, 16, 0.7
	at.preNMSTopN, at.postNMSTopN, at.ratio, at.scale = 2000, 300, []float64{0.5, 1, 2}, []float64{8, 16, 32}
	probabilities := layertest.RandomNumbers(rng, 1<<20, 1.0/(1<<20), 18*38*63)
	layertest.BenchmarkOf(b, "faster_rcnn_f32", &Ops[1], attributesOf(&at), 2,
		layertest.Numbers(b, ir.F32, ir.Shape{1, 18, 38, 63}, probabilities...),
		layertest.Numbers(b, ir.F32, ir.Shape{1, 36, 38, 63}, layertest.RandomNumbers(rng, 1000, 0.0002, 36*38*63)...), layertest.Numbers(b, ir.F32, ir.Shape{3}, 600, 1000, 1))
}
