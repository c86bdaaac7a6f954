package experimentaldetectronpriorgridgenerator

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	layertest.Benchmark(b, "mask_rcnn_f32", &Ops[0], layertest.Attributes{"flatten", "true", "stride_x", "4", "stride_y", "4"},
		layertest.Numbers(b, ir.F32, ir.Shape{3, 4}), layertest.Numbers(b, ir.F32, ir.Shape{1, 1, 200, 168}), layertest.Numbers(b, ir.F32, ir.Shape{1, 1, 800, 672}))
}
