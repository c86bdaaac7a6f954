package regionyolo

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkLayer has the last layers of YOLOv3 and YOLOv2.
func BenchmarkLayer(b *testing.B) {
	for name, l := range map[string]layer{
		"v3_f32": {coords: 4, classes: 80, regions: 3, shape: ir.Shape{1, 255, 52, 52}},
		"v2_f32": {coords: 4, classes: 80, regions: 5, softmax: true, shape: ir.Shape{1, 425, 13, 13}},
	} {
		layertest.Benchmark(b, name, &Ops[0], l.attributes(), layertest.Numbers(b, ir.F32, l.shape))
	}
}
