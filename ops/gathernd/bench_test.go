package gathernd

import (
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for _, c := range []struct {
		name          string
		data, indices ir.Shape
	}{
		{"elements_f32", ir.Shape{500, 500}, ir.Shape{200000, 2}},
		{"slices_f32", ir.Shape{100, 100, 64}, ir.Shape{20000, 2}},
		{"rows_f32", ir.Shape{30000, 384}, ir.Shape{1024, 1}},
		{"tiny_f32", ir.Shape{16, 16}, ir.Shape{4, 2}},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		indices := make([]int64, c.indices.Elements())
		for i := range indices {
			indices[i] = int64(rng.IntN(c.data[i%c.indices[1]]))
		}
		layertest.Benchmark(b, c.name, layertest.Find(b, Ops, 8), nil, layertest.Counted(b, ir.F32, c.data...), layertest.Ints(b, ir.I32, c.indices, indices...))
	}
}
