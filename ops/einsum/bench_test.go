package einsum

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for _, c := range []struct {
		name, equation string
		shapes         []ir.Shape
	}{
		{"heads", "bhqd,bhkd->bhqk", []ir.Shape{{1, 12, 197, 64}, {1, 12, 197, 64}}},
		{"relative_position", "bhwc,hkc->bhwk", []ir.Shape{{8, 32, 32, 64}, {32, 32, 64}}},
		{"bilinear", "bi,ij,bj->b", []ir.Shape{{256, 300}, {300, 300}, {256, 300}}},
	} {
		var inputs []*ir.Tensor
		for _, shape := range c.shapes {
			inputs = append(inputs, layertest.Numbers(b, ir.F32, shape))
		}
		layertest.Benchmark(b, c.name, &Ops[0], layertest.Attributes{"equation", c.equation}, inputs...)
	}
}
