package gather

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
		axis          int
	}{
		{"embedding_f32", ir.F32, ir.Shape{30000, 384}, ir.Shape{8, 128}, 0},
		{"rows12_f32", ir.F32, ir.Shape{100000, 3}, ir.Shape{100000}, 0},
		{"rows8_f32", ir.F32, ir.Shape{100000, 2}, ir.Shape{100000}, 0},
		{"elements_f32", ir.F32, ir.Shape{100000}, ir.Shape{1000000}, 0},
		{"elements_u8", ir.U8, ir.Shape{100000}, ir.Shape{1000000}, 0},
		{"last_f32", ir.F32, ir.Shape{1000, 1000}, ir.Shape{500}, 1},
		{"select_f32", ir.F32, ir.Shape{1000, 1000}, ir.Shape{}, 1},
		{"pair_f32", ir.F32, ir.Shape{100000, 8}, ir.Shape{2}, 1},
		{"mid_f32", ir.F32, ir.Shape{32, 256, 10, 15}, ir.Shape{250}, 1},
		{"tiny_f32", ir.F32, ir.Shape{16, 16}, ir.Shape{4}, 0},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		indices := make([]int64, c.indices.Elements())
		for i := range indices {
			indices[i] = int64(rng.IntN(c.data[c.axis]))
		}
		layertest.Benchmark(b, c.name, layertest.Find(b, Ops, 8), nil,
			layertest.Counted(b, c.t, c.data...), layertest.Ints(b, ir.I64, c.indices, indices...), layertest.Ints(b, ir.I32, nil, int64(c.axis)))
	}
}
