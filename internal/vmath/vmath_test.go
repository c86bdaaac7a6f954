package vmath

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
)

// binary is each function as a loop would compute it.
var binary = [numFunctions]func(a, b float32) float32{
	Add:      func(a, b float32) float32 { return a + b },
	Subtract: func(a, b float32) float32 { return a - b },
	Multiply: func(a, b float32) float32 { return a * b },
	Divide:   func(a, b float32) float32 { return a / b },
	Maximum: func(a, b float32) float32 {
		if a > b {
			return a
		}
		return b
	},
	Minimum: func(a, b float32) float32 {
		if a < b {
			return a
		}
		return b
	},
	SquaredDifference: func(a, b float32) float32 { return (a - b) * (a - b) },
}

var unary = [numUnary]func(x float32) float32{
	Relu: func(x float32) float32 {
		if x > 0 {
			return x
		}
		return 0
	},
	Abs:      func(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) },
	Negative: func(x float32) float32 { return -x },
	Sqrt:     func(x float32) float32 { return float32(math.Sqrt(float64(x))) },
}

// guard is what stands behind a row, to be found unchanged.
const guard = 1234.5

// row returns n numbers of all kinds at an odd address, with a guard behind them.
func row(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n+2)[1:]
	x[n] = guard
	for i := range n {
		x[i] = float32(rng.NormFloat64())
		switch rng.IntN(12) {
		case 0:
			x[i] = float32(math.NaN())
		case 1:
			x[i] = float32(math.Inf(rng.IntN(2)*2 - 1))
		case 2:
			x[i] = float32(math.Copysign(0, rng.Float64()-0.5))
		case 3:
			x[i] = math.Float32frombits(rng.Uint32N(1 << 23)) // subnormal
		}
	}
	return x[:n]
}

func requireGuard(t *testing.T, out []float32) {
	t.Helper()
	require.Equal(t, float32(guard), out[:len(out)+1][len(out)])
}

// same compares bits, any NaN with any other.
func same(t *testing.T, want, got float32, args ...any) {
	t.Helper()
	if want != want && got != got {
		return
	}
	require.Equal(t, math.Float32bits(want), math.Float32bits(got), args...)
}

func TestBinary(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for f := range numFunctions {
		for m := range numModes {
			code := Binary(f, m)
			if code == nil {
				t.Skip("no vector code on this machine")
			}
			for n := 1; n < 90; n++ {
				a, b, out := row(rng, n), row(rng, n), row(rng, n)
				switch in := rng.IntN(4); { // in place
				case in == 0 && m != ScalarA:
					out = a
				case in == 1 && m != ScalarB:
					out = b
				}
				want := make([]float32, n)
				for i := range want {
					x, y := a[0], b[0]
					if m != ScalarA {
						x = a[i]
					}
					if m != ScalarB {
						y = b[i]
					}
					want[i] = binary[f](x, y)
				}
				code(out, a, b)
				requireGuard(t, out)
				for i := range want {
					same(t, want[i], out[i], "function %d, mode %d, element %d of %d", f, m, i, n)
				}
			}
		}
	}
}

func TestUnary(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for f := range numUnary {
		code := Unary(f)
		if code == nil {
			t.Skip("no vector code on this machine")
		}
		if unary[f] == nil {
			continue // not exact: see TestUnary_precision
		}
		for n := range 90 {
			x, out := row(rng, n), row(rng, n)
			want := make([]float32, n)
			for i := range want {
				want[i] = unary[f](x[i])
			}
			if rng.IntN(2) == 0 {
				out = x
			}
			code(out, x)
			requireGuard(t, out)
			for i := range want {
				same(t, want[i], out[i], "function %d, element %d of %d", f, i, n)
			}
		}
	}
}

// TestUnary_precision compares with float64, in units in the last place.
func TestUnary_precision(t *testing.T) {
	for f, exact := range map[UnaryFunction]func(float64) float64{
		Exp: math.Exp, Tanh: math.Tanh, Sigmoid: func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	} {
		code := Unary(f)
		if code == nil {
			t.Skip("no vector code on this machine")
		}
		rng := rand.New(rand.NewPCG(5, 6))
		x := []float32{
			0, float32(math.Copysign(0, -1)), float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)),
			88.72283, 88.722846, -87.33655, -103.5, -103.98, -104.5, 1e30, -1e30, 1e-30, 1e-40, 0.625, 0.6249999,
		}
		for range 100000 {
			x = append(x, float32(rng.NormFloat64()*math.Exp(rng.Float64()*10-6)))
		}
		out := make([]float32, len(x))
		code(out, x)
		worst := 0.0
		for i := range x {
			want, got := exact(float64(x[i])), out[i]
			rounded := float32(want)
			switch {
			case rounded != rounded, math.IsInf(float64(rounded), 0), rounded == 0:
				same(t, rounded, got, "function %d of %v", f, x[i])
				continue
			case math.Signbit(want) != math.Signbit(float64(got)):
				t.Fatalf("function %d of %v: %v, want %v", f, x[i], got, want)
			}
			unit := float64(math.Nextafter32(float32(math.Abs(want)), math.MaxFloat32)) - float64(float32(math.Abs(want)))
			if e := math.Abs(float64(got)-want) / unit; e > worst {
				worst = e
			}
		}
		assert.Less(t, worst, 3.0, "function %d", f)
	}
}

func TestWithoutFeatures(t *testing.T) {
	defer cpu.AVX2.Disable()()
	defer cpu.FMA.Disable()()
	assert.Nil(t, Binary(Add, Rows))
	assert.Nil(t, Unary(Relu))
}

func TestEmptyRows(t *testing.T) {
	if Binary(Add, Rows) == nil {
		t.Skip("no vector code on this machine")
	}
	Binary(Add, Rows)(nil, nil, nil)
	Unary(Relu)(nil, nil)
}

func TestShortRows(t *testing.T) {
	if Binary(Add, Rows) == nil {
		t.Skip("no vector code on this machine")
	}
	out, short := make([]float32, 9), make([]float32, 8)
	assert.Panics(t, func() { Binary(Add, Rows)(out, out, short) })
	assert.Panics(t, func() { Binary(Add, ScalarB)(out, short, out) })
	assert.Panics(t, func() { Unary(Relu)(out, short) })
}

func BenchmarkBinary(b *testing.B) {
	x, y, out := make([]float32, 4096), make([]float32, 4096), make([]float32, 4096)
	code := Binary(Add, Rows)
	if code == nil {
		b.Skip("no vector code on this machine")
	}
	b.SetBytes(4 * 4096)
	for b.Loop() {
		code(out, x, y)
	}
}
