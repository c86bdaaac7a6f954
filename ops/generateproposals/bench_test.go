package generateproposals

import (
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	const anchors, height, width = 3, 50, 68
	var boxes []float64
	for i := range height * width * anchors {
		x, y, size := float64(i/anchors%width*16), float64(i/anchors/width*16), float64(int(32)<<(i%anchors))
		boxes = append(boxes, x-size, y-size, x+size, y+size)
	}
	n := len(boxes) / 4
	layertest.BenchmarkOf(b, "mask_rcnn_f32", &Ops[0],
		layertest.Attributes{"min_size", "0", "nms_threshold", "0.7", "pre_nms_count", "1000", "post_nms_count", "1000", "normalized", "false"}, 3,
		layertest.Numbers(b, ir.F32, ir.Shape{1, 3}, 800, 1088, 1), layertest.Numbers(b, ir.F32, ir.Shape{height, width, anchors, 4}, boxes...),
		layertest.Numbers(b, ir.F32, ir.Shape{1, 4 * anchors, height, width}, layertest.RandomNumbers(rng, 1000, 0.0005, 4*n)...),
		layertest.Numbers(b, ir.F32, ir.Shape{1, anchors, height, width}, layertest.RandomNumbers(rng, 1<<20, 1.0/(1<<20), n)...))
}
