package experimentaldetectrondetectionoutput

import (
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	const regions, classes = 1000, 81
	at := attributes{
		classes: classes, maxDetections: 100, postNMSCount: 2000, scoreThreshold: 0.05, nmsThreshold: 0.5, maxDeltaLogWH: 4.135,
		deltasWeights: []float64{10, 10, 5, 5},
	}
	var rois []float64
	for range regions {
		x, y := rng.Float64()*1200, rng.Float64()*700
		rois = append(rois, x, y, x+rng.Float64()*200, y+rng.Float64()*200)
	}
	scores := make([]float64, regions*classes)
	for i := range scores {
		scores[i] = rng.Float64() * rng.Float64() * 0.1
	}
	layertest.BenchmarkOf(b, "mask_rcnn_f32", &Ops[0], attributesOf(&at), 3,
		inputs(b, ir.F32, regions, classes, rois, layertest.RandomNumbers(rng, 1000, 0.001, 4*regions*classes), scores)...)
}
