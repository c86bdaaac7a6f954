package recurrence

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/ir"
)

func read(names string) (*Activations, *ir.Attributes) {
	a := ir.AttributesOf(&ir.Layer{Data: []ir.Attribute{
		{Name: "activations", Value: names}, {Name: "activations_alpha", Value: "0,0,0,0.5"}, {Name: "activations_beta", Value: "0,0,0,0.25"},
	}})
	f := ReadActivations(a, "tanh")
	return &f, a
}

// withoutVectors runs f with the vector code of this machine and without.
func withoutVectors(f func()) {
	f()
	defer cpu.Disable(cpu.Features()...)()
	f()
}

func TestActivations(t *testing.T) {
	f, a := read("Sigmoid, TANH,relu,hardsigmoid,other")
	f.Check(a, 4)
	require.NoError(t, a.Err())
	withoutVectors(func() {
		rows, err := f.Rows(4)
		require.NoError(t, err)
		for i, want := range [][]float64{{1 / (1 + math.Exp(1)), 1 / (1 + math.Exp(-2))}, {math.Tanh(-1), math.Tanh(2)}, {0, 2}, {0, 1}} {
			x := []float32{-1, 2}
			rows[i](x)
			assert.InDeltaSlice(t, want, []float64{float64(x[0]), float64(x[1])}, 1e-6, f.Names[i])
		}
	})
	numbers, err := Functions[float64](f, 4)
	require.NoError(t, err)
	assert.Equal(t, 0.375, numbers[3](0.25))
}

func TestActivations_default(t *testing.T) {
	f := ReadActivations(ir.AttributesOf(&ir.Layer{}), "hardsigmoid")
	numbers, err := Functions[float32](&f, 1)
	require.NoError(t, err)
	assert.Equal(t, float32(0.7), numbers[0](1))
}

func TestActivations_refused(t *testing.T) {
	for names, want := range map[string]string{
		"tanh,": "are named, the cell has 2", "tanh,elu": `"elu" is none of`,
	} {
		f, a := read(names)
		f.Check(a, 2)
		assert.ErrorContains(t, a.Err(), want)
		_, err := f.Rows(2)
		assert.ErrorContains(t, err, want)
	}
}

func TestRows(t *testing.T) {
	withoutVectors(func() {
		out, a, b := make([]float32, 3), []float32{1, 2, 3}, []float32{4, 5, 6}
		Adder()(out, a, b)
		assert.Equal(t, []float32{5, 7, 9}, out)
		Multiplier()(out, a, b)
		assert.Equal(t, []float32{4, 10, 18}, out)
		Scaler()(out, a, b)
		assert.Equal(t, []float32{4, 8, 12}, out)
	})
	for limit, want := range map[float64][]float32{0: {-3, 1}, math.Inf(1): {-3, 1}, 2: {-2, 1}} {
		x := []float32{-3, 1}
		Clip(x, limit)
		assert.Equal(t, want, x)
	}
}
