package reorgyolo

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkLayer has the layer of YOLOv2.
func BenchmarkLayer(b *testing.B) {
	layertest.Benchmark(b, "yolov2_f32", &Ops[0], layertest.Attributes{"stride", "2"}, layertest.Counted(b, ir.F32, 1, 64, 38, 38))
}
