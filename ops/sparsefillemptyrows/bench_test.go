package sparsefillemptyrows

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	indices := make([]int64, 30000)
	for i := 0; i < len(indices); i += 2 {
		indices[i] = int64(i * 3 / 4)
	}
	layertest.Benchmark(b, "15000 of 30000 rows", &Ops[0], nil, inputs(b, layertest.Counted(b, ir.F32, 15000), ir.I64, []int64{30000, 100}, indices, layertest.Counted(b, ir.F32))...)
}
