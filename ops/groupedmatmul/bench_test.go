package groupedmatmul

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkLayer has the expert products of a mixture of eight experts: for a prompt of 256 tokens,
// two experts each, and for one token.
func BenchmarkLayer(b *testing.B) {
	weights := layertest.Counted(b, ir.F32, 8, 1024, 512)
	prompt := layertest.Numbers(b, ir.I64, ir.Shape{8}, 60, 110, 180, 250, 300, 380, 450, 512)
	layertest.Benchmark(b, "prompt", &Ops[0], nil, layertest.Counted(b, ir.F32, 512, 512), weights, prompt)
	token := layertest.Numbers(b, ir.I64, ir.Shape{8}, 0, 1, 1, 1, 1, 2, 2, 2)
	layertest.Benchmark(b, "token", &Ops[0], nil, layertest.Counted(b, ir.F32, 2, 512), weights, token)
}
