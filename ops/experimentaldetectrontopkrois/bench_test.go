package experimentaldetectrontopkrois

import (
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	layertest.Benchmark(b, "mask_rcnn_f32", &Ops[0], layertest.Attributes{"max_rois", "1000"},
		layertest.Numbers(b, ir.F32, ir.Shape{4800, 4}), layertest.Numbers(b, ir.F32, ir.Shape{4800}, layertest.RandomNumbers(rng, 1<<20, 1.0/(1<<20), 4800)...))
}
