package experimentaldetectrongenerateproposals

import (
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	shape := ir.Shape{3, 50, 84}
	n := shape.Elements()
	var anchors []float64
	for i := range n {
		x, y, size := float64(i/3%84*16), float64(i/3/84*16), float64(int(32)<<(i%3))
		anchors = append(anchors, x-size, y-size, x+size, y+size)
	}
	at := attributes{preNMSCount: 1000, postNMSCount: 1000, nmsThreshold: 0.7}
	layertest.BenchmarkOf(b, "mask_rcnn_f32", &Ops[0], attributesOf(&at), 2, inputs(b, ir.F32, shape, []float64{800, 1344, 1}, anchors,
		layertest.RandomNumbers(rng, 1000, 0.0005, 4*n), layertest.RandomNumbers(rng, 1<<20, 1.0/(1<<20), n))...)
}
