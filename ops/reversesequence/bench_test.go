package reversesequence

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkLayer reverses a batch of sequences of features, with the batch first and second.
func BenchmarkLayer(b *testing.B) {
	lengths := make([]int64, 16)
	for i := range lengths {
		lengths[i] = int64(50 + 3*i)
	}
	n := layertest.Ints(b, ir.I64, ir.Shape{16}, lengths...)
	layertest.Benchmark(b, "batch_first_f32", &Ops[0], nil, layertest.Counted(b, ir.F32, 16, 100, 256), n)
	layertest.Benchmark(b, "time_first_f32", &Ops[0], layertest.Attributes{"batch_axis", "1", "seq_axis", "0"}, layertest.Counted(b, ir.F32, 100, 16, 256), n)
}
