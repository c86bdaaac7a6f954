package onehot

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for _, axis := range []string{"1", "3"} {
		layertest.Benchmark(b, "classes of an image, axis "+axis, &Ops[0], layertest.Attributes{"axis", axis}, layertest.Counted(b, ir.I64, 1, 256, 256),
			layertest.Ints(b, ir.I64, ir.Shape{}, 21), layertest.Numbers(b, ir.F32, ir.Shape{}, 1), layertest.Numbers(b, ir.F32, ir.Shape{}, 0))
	}
}
