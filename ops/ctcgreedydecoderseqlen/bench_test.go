package ctcgreedydecoderseqlen

import (
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	shape := ir.Shape{2, 800, 129}
	data := layertest.RandomNumbers(rand.New(rand.NewPCG(1, 2)), 1000, 0.125, shape.Elements())
	layertest.BenchmarkOf(b, "speech_f32", &Ops[0], nil, 2, layertest.Numbers(b, ir.F32, shape, data...), layertest.Ints(b, ir.I32, ir.Shape{2}, 800, 700))
}
