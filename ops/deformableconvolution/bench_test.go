package deformableconvolution

import (
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	const channels, size = 64, 56
	offsets := make([]float64, 18*size*size)
	for i := range offsets {
		offsets[i] = rng.NormFloat64()
	}
	at := layertest.Attributes{
		"strides", "1,1", "dilations", "1,1", "pads_begin", "1,1", "pads_end", "1,1", "auto_pad", "explicit",
		"group", "1", "deformable_group", "1", "bilinear_interpolation_pad", "true",
	}
	layertest.Benchmark(b, "dcnv2_f32", layertest.Find(b, Ops, 8), at, layertest.Numbers(b, ir.F32, ir.Shape{1, channels, size, size}),
		layertest.Numbers(b, ir.F32, ir.Shape{1, 18, size, size}, offsets...), layertest.Numbers(b, ir.F32, ir.Shape{channels, channels, 3, 3}),
		layertest.Numbers(b, ir.F32, ir.Shape{1, 9, size, size}))
}
