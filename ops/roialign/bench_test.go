package roialign

import (
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	const regions = 100
	for i := range Ops {
		for _, mode := range modes[:max(2-i/2, 1)] {
			l := &testLayer{op: &Ops[i], mode: mode, aligned: "half_pixel", scale: 1.0 / 16, pooledH: 7, pooledW: 7, ratio: 2}
			var rois []float64
			for range regions {
				x, y, w, h := 800*rng.Float64(), 800*rng.Float64(), 300*rng.Float64(), 300*rng.Float64()
				if l.rotated() {
					rois = append(rois, x, y, w, h, rng.Float64())
				} else {
					rois = append(rois, x, y, x+w, y+h)
				}
			}
			layertest.Benchmark(b, l.op.String()+"_"+mode+"_f32", l.op, l.attributes(), layertest.Numbers(b, ir.F32, ir.Shape{1, 192, 50, 68}),
				layertest.Numbers(b, ir.F32, ir.Shape{regions, l.coordinates()}, rois...), layertest.Numbers(b, ir.I32, ir.Shape{regions}))
		}
	}
}
