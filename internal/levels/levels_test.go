package levels

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
)

// processors are the features that a processor lacks, for each kind of code.
var processors = cpu.Distinct([][]*cpu.Feature{nil, {cpu.AVX512}, {cpu.AVX512, cpu.AVX2, cpu.NEON}})

// numbersOf returns n numbers, among them the middle between two levels, NaN and infinities.
func numbersOf(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
		switch rng.IntN(12) {
		case 0:
			x[i] = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32}[rng.IntN(4)]
		case 1:
			x[i] = (float32(rng.IntN(40)) + 0.5) / 16
		}
	}
	return x
}

// TestCodes compares the code for each kind of processor with the definition, with memory around
// out that must stay.
func TestCodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 140 {
		x := numbersOf(rng, n)
		for _, off := range processors {
			restore := cpu.Disable(off...)
			got := make([]uint8, n+2)
			got[0], got[n+1] = 99, 99
			Codes(got[1:n+1], x, 16, 3, 200)
			restore()
			assert.Equal(t, []uint8{99, 99}, []uint8{got[0], got[n+1]})
			for i, v := range x {
				require.Equal(t, code(v, 16, 3, 200), got[i+1], "%v, element %d of %d", v, i, n)
			}
			values := make([]float32, n+2)
			values[0], values[n+1] = 99, 99
			restore = cpu.Disable(off...)
			Values(values[1:n+1], got[1:n+1], -0.3, 0.1)
			restore()
			assert.Equal(t, []float32{99, 99}, []float32{values[0], values[n+1]})
			for i, level := range got[1 : n+1] {
				require.Equal(t, float32(-0.3)+float32(float32(level)*0.1), values[i+1], "level %d, element %d of %d", level, i, n)
			}
		}
	}
}

// TestCode has the definition of a level at its limits.
func TestCode(t *testing.T) {
	for x, want := range map[float32]uint8{
		-1: 0, 0: 1, 0.49: 1, 0.5: 2, 1.5: 2, 2.51: 4, 199: 200, 1e9: 200, float32(math.Inf(1)): 200, float32(math.Inf(-1)): 0,
	} {
		assert.Equal(t, want, code(x, 1, 1, 200), "%v", x)
	}
	assert.Zero(t, code(float32(math.NaN()), 1, 1, 200))
}

// TestRows stores rows and reads them: each number is at most half a level from what it was.
func TestRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		n, rows := 1+rng.IntN(70), rng.IntN(4)
		if rng.IntN(2) == 0 {
			n = (n + 7) &^ 7
		}
		x := make([]float32, n*rows)
		for i := range x {
			x[i] = float32(rng.NormFloat64()*math.Pow(2, float64(rng.IntN(3))) + float64(i/n)*3)
		}
		stored, got := make([]byte, rows*(n+RowExtra)), make([]float32, n*rows+1)
		EncodeRows(stored, x[:n*rows], n)
		got[n*rows] = 99
		DecodeRows(got[:n*rows], stored, n)
		require.Equal(t, float32(99), got[n*rows])
		portable := make([]float32, n*rows)
		restore := cpu.Disable(cpu.AVX2, cpu.AVX512, cpu.NEON)
		DecodeRows(portable, stored, n)
		restore()
		require.Equal(t, portable, got[:n*rows])
		for r := range rows {
			row := x[r*n:][:n]
			low, high := row[0], row[0]
			for _, v := range row {
				low, high = min(low, v), max(high, v)
			}
			for i, v := range row {
				require.InDelta(t, v, got[r*n+i], float64(high-low)/255*0.501+1e-6)
			}
		}
	}
}

// TestRows_limits has rows without a range, and such that are not finite.
func TestRows_limits(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct{ row, want []float32 }{
		{[]float32{3, 3, 3}, []float32{3, 3, 3}},
		{[]float32{0, 0, 0}, []float32{0, 0, 0}},
		{[]float32{-1, 1, -1}, []float32{-1, 1, -1}},
		{[]float32{0, 1e-44, 0}, []float32{0, 0, 0}},
		{[]float32{1, nan, 3}, nil},
		{[]float32{nan, 2, 3}, nil},
		{[]float32{1, inf, 3}, nil},
		{[]float32{1, 2, -inf}, nil},
		{[]float32{math.MaxFloat32, -math.MaxFloat32, 0}, nil},
	} {
		stored, got := make([]byte, 3+RowExtra), make([]float32, 3)
		EncodeRows(stored, c.row, 3)
		DecodeRows(got, stored, 3)
		if c.want != nil {
			assert.InDeltaSlice(t, c.want, got, 1e-6, "%v", c.row)
			continue
		}
		for _, v := range got {
			assert.True(t, v != v, "%v is stored as %v", c.row, got)
		}
	}
	EncodeRows(nil, nil, 0) // no columns
	DecodeRows(nil, nil, 0)
}
