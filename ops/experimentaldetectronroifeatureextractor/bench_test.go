package experimentaldetectronroifeatureextractor

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	p, rois := benchmark(100)
	layertest.Benchmark(b, "fpn_f32", &Ops[0], p.attributes(), p.inputs(b, ir.F32, rois)...)
}
