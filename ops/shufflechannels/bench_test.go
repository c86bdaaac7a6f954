package shufflechannels

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkLayer has a layer of ShuffleNet, with the channels first and last.
func BenchmarkLayer(b *testing.B) {
	layertest.Benchmark(b, "nchw_f32", &Ops[0], layertest.Attributes{"axis", "1", "group", "3"}, layertest.Counted(b, ir.F32, 1, 120, 56, 56))
	layertest.Benchmark(b, "nhwc_f32", &Ops[0], layertest.Attributes{"axis", "-1", "group", "3"}, layertest.Counted(b, ir.F32, 1, 56, 56, 120))
}
