package unique

import (
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	numbers := func(t ir.ElementType, limit int, shape ...int) *ir.Tensor {
		return layertest.Numbers(b, t, shape, layertest.RandomNumbers(rng, limit, 1, ir.Shape(shape).Elements())...)
	}
	layertest.Benchmark(b, "8000 i64", &Ops[0], nil, numbers(ir.I64, 2000, 8000))
	layertest.Benchmark(b, "100000 f32", &Ops[0], nil, numbers(ir.F32, 20000, 100000))
	layertest.Benchmark(b, "2000 rows of 3 i32", &Ops[0], nil, numbers(ir.I32, 8, 2000, 3), layertest.Ints(b, ir.I64, ir.Shape{}, 0))
}
