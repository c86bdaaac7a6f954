package scatterupdate

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
		{"rows_f32", ir.F32, ir.Shape{100000, 128}, ir.Shape{4096}, 0},
		{"mid_f32", ir.F32, ir.Shape{32, 256, 10, 15}, ir.Shape{125, 2}, 1},
		{"mid_f16", ir.F16, ir.Shape{32, 256, 10, 15}, ir.Shape{125, 2}, 1},
		{"last_f32", ir.F32, ir.Shape{1000, 1000}, ir.Shape{500}, 1},
		{"tiny_f32", ir.F32, ir.Shape{16, 16}, ir.Shape{4}, 0},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		indices := make([]int64, c.indices.Elements())
		for i, v := range rng.Perm(c.data[c.axis])[:len(indices)] {
			indices[i] = int64(v)
		}
		layertest.Benchmark(b, c.name, &Ops[0], nil,
			layertest.Counted(b, c.t, c.data...), layertest.Ints(b, ir.I32, c.indices, indices...),
			layertest.Counted(b, c.t, updatesShape(c.data, c.indices, c.axis)...), layertest.Ints(b, ir.I32, nil, int64(c.axis)))
	}
}
