package rnn

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkLayer has a bidirectional tagger of 256 units, with one sentence of 50 words.
func BenchmarkLayer(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	shape := func(lengths ...int) *ir.Tensor {
		s := ir.Shape(lengths)
		return layertest.Numbers(b, ir.F32, s, layertest.RandomNumbers(rng, 8, 0.01, s.Elements())...)
	}
	op := layertest.FindType(b, Ops, "LSTMSequence-5")
	at := layertest.Attributes{"hidden_size", "256", "direction", "bidirectional"}
	layertest.BenchmarkOf(b, "lstm_f32", op, at, 3,
		shape(1, 50, 128), shape(1, 2, 256), shape(1, 2, 256), layertest.Ints(b, ir.I64, ir.Shape{1}, 50),
		shape(2, 1024, 128), shape(2, 1024, 256), shape(2, 1024))
}

// BenchmarkLayer_shared has one direction and one sequence, whose steps the threads share.
func BenchmarkLayer_shared(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{256, 600} {
		shape := func(lengths ...int) *ir.Tensor {
			s := ir.Shape(lengths)
			return layertest.Numbers(b, ir.F32, s, layertest.RandomNumbers(rng, 8, 0.01, s.Elements())...)
		}
		op := layertest.FindType(b, Ops, "GRUSequence-5")
		at := layertest.Attributes{"hidden_size", fmt.Sprint(size), "direction", "forward", "linear_before_reset", "true"}
		layertest.BenchmarkOf(b, fmt.Sprint("gru_", size), op, at, 2,
			shape(1, 16, size), shape(1, 1, size), layertest.Ints(b, ir.I64, ir.Shape{1}, 16), shape(1, 3*size, size), shape(1, 3*size, size), shape(1, 4*size))
	}
}
