package topk

import (
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name  string
		t     ir.ElementType
		shape ir.Shape
		axis  int
		k     int64
	}{
		{"5 of 1000 classes", ir.F32, ir.Shape{64, 1000}, 1, 5},
		{"100 of 25200 anchors", ir.F32, ir.Shape{1, 25200}, 1, 100},
		{"20 of 800 neighbours", ir.F32, ir.Shape{800, 800}, 1, 20},
		{"best of 80 classes in columns", ir.F32, ir.Shape{80, 8400}, 0, 1},
		{"best of 80 classes in rows", ir.F32, ir.Shape{8400, 80}, 1, 1},
		{"5 of 80 classes in rows", ir.F32, ir.Shape{8400, 80}, 1, 5},
		{"5 of 80 classes in columns", ir.F32, ir.Shape{80, 8400}, 0, 5},
		{"sort of 10000 f32", ir.F32, ir.Shape{10000}, 0, 10000},
		{"sort of 10000 f64", ir.F64, ir.Shape{10000}, 0, 10000},
		{"5 of 1000 f16", ir.F16, ir.Shape{64, 1000}, 1, 5},
		{"5 of 1000 i64", ir.I64, ir.Shape{64, 1000}, 1, 5},
	} {
		layertest.Benchmark(b, c.name, &Ops[1], attributesOf(c.axis, "max", "value", "i32"),
			layertest.Numbers(b, c.t, c.shape, layertest.RandomNumbers(rng, 10000, 1, c.shape.Elements())...), layertest.Ints(b, ir.I64, ir.Shape{}, c.k))
	}
}
