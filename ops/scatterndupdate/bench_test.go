package scatterndupdate

import (
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for _, c := range []struct {
		name          string
		t             ir.ElementType
		data, indices ir.Shape
		red           reduction
	}{
		{"none_elements_f32", ir.F32, ir.Shape{500, 500}, ir.Shape{200000, 2}, none},
		{"none_slices_f32", ir.F32, ir.Shape{100, 100, 64}, ir.Shape{20000, 2}, none},
		{"none_rows_f32", ir.F32, ir.Shape{30000, 384}, ir.Shape{1024, 1}, none},
		{"sum_elements_f32", ir.F32, ir.Shape{500, 500}, ir.Shape{200000, 2}, sum},
		{"sum_slices_f32", ir.F32, ir.Shape{100, 100, 64}, ir.Shape{20000, 2}, sum},
		{"max_slices_f32", ir.F32, ir.Shape{100, 100, 64}, ir.Shape{20000, 2}, maximum},
		{"sum_slices_f16", ir.F16, ir.Shape{100, 100, 64}, ir.Shape{20000, 2}, sum},
		{"tiny_f32", ir.F32, ir.Shape{16, 16}, ir.Shape{4, 2}, none},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		k := c.indices[1]
		indices := make([]int64, c.indices.Elements())
		for i := range indices {
			indices[i] = int64(rng.IntN(c.data[i%k]))
		}
		op, attributes := scatterOp(b, c.red)
		layertest.Benchmark(b, c.name, op, attributes, layertest.Counted(b, c.t, c.data...),
			layertest.Ints(b, ir.I32, c.indices, indices...), layertest.Counted(b, c.t, updatesShape(c.data, c.indices, k)...))
	}
}
