package inverse

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for name, shape := range map[string]ir.Shape{"camera_poses": {2000, 4, 4}, "large": {300, 300}} {
		layertest.Benchmark(b, name, &Ops[0], attribute(false), layertest.Counted(b, ir.F32, shape...))
	}
}
