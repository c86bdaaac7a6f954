package multinomial

import (
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	probs := layertest.Numbers(b, ir.F32, ir.Shape{1, 32000}, layertest.RandomNumbers(rng, 100, 0.25, 32000)...)
	for _, c := range []struct {
		name               string
		replace, logarithm bool
	}{{"a token", true, true}, {"without replacement", false, true}} {
		layertest.Benchmark(b, c.name, &Ops[0], attributesOf("i64", c.replace, c.logarithm, 1, 2), probs, layertest.Ints(b, ir.I64, ir.Shape{}, 16))
	}
}
