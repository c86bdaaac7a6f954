package eye

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	layertest.Benchmark(b, "1024 f32", &Ops[0], attributesOf(ir.F32), scalar(b, 1024), scalar(b, 1024), scalar(b, 0))
}
