package vmath

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
)

// binary holds the functions of portable loops.
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
	PRelu: func(a, b float32) float32 {
		if a < 0 {
			return a * b
		}
		return a
	},
}

// unary holds portable functions whose results must equal those of the vector code, with
// testParameters.
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
	Sign: func(x float32) float32 {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return x
	},
	Floor:           func(x float32) float32 { return float32(math.Floor(float64(x))) },
	Ceiling:         func(x float32) float32 { return float32(math.Ceil(float64(x))) },
	RoundHalfToEven: func(x float32) float32 { return float32(math.RoundToEven(float64(x))) },
	RoundHalfAway:   func(x float32) float32 { return float32(math.Round(float64(x))) },
	Clamp: func(x float32) float32 {
		if !(x > testParameters[0]) {
			return testParameters[0]
		}
		return min(x, testParameters[1])
	},
	HardSigmoid: func(x float32) float32 {
		return min(max(testParameters[0]*x+testParameters[1], 0), 1)
	},
	SoftSign: func(x float32) float32 { return x / (1 + float32(math.Abs(float64(x)))) },
	Cube:     func(x float32) float32 { return x * x * x },
	Root: func(x float32) float32 {
		return float32(math.Pow(float64(x), 0.5))
	},
}

var testParameters = []float32{0.25, 0.75}

// guard is the element after a row. It must not change.
const guard = 1234.5

// row returns n numbers, special values among them, followed by a guard. They are not aligned
// for vectors.
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

// requireGuard checks that the element after out is unchanged.
func requireGuard(t *testing.T, out []float32) {
	t.Helper()
	require.Equal(t, float32(guard), out[:len(out)+1][len(out)])
}

// requireSame compares bits. All NaN are equal.
func requireSame(t *testing.T, want, got float32, args ...any) {
	t.Helper()
	if want != want && got != got {
		return
	}
	require.Equal(t, math.Float32bits(want), math.Float32bits(got), args...)
}

func TestBinary(t *testing.T) {
	forEachISA(t, func(t *testing.T) {
		if Binary(Add, Rows) == nil {
			t.Skip("no vector code")
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for f := range numFunctions {
			for m := range numModes {
				for n := 1; n < 150; n++ {
					testBinary(t, rng, f, m, n)
				}
			}
		}
	})
}

func testBinary(t *testing.T, rng *rand.Rand, f Function, m Mode, n int) {
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
	Binary(f, m)(out, a, b)
	requireGuard(t, out)
	for i := range want {
		requireSame(t, want[i], out[i], "function %d, mode %d, element %d of %d", f, m, i, n)
	}
}

func TestBinaryRows(t *testing.T) {
	forEachISA(t, func(t *testing.T) {
		if Binary(Add, Rows) == nil {
			t.Skip("no vector code")
		}
		rng := rand.New(rand.NewPCG(7, 2))
		for range 2000 {
			f, m := Function(rng.IntN(int(numFunctions))), Mode(rng.IntN(int(numModes)))
			n, rows := 1+rng.IntN(40), 1+rng.IntN(5)
			aStep, bStep := rng.IntN(2*n), rng.IntN(2*n)
			a, b, out := row(rng, (rows-1)*aStep+n), row(rng, (rows-1)*bStep+n), row(rng, rows*n)
			BinaryRows(f, m)(out, a, b, n, aStep, bStep)
			requireGuard(t, out)
			for i, got := range out {
				at, k := i/n, i%n
				x, y := a[at*aStep], b[at*bStep]
				if m != ScalarA {
					x = a[at*aStep+k]
				}
				if m != ScalarB {
					y = b[at*bStep+k]
				}
				requireSame(t, binary[f](x, y), got, "function %d, mode %d, element %d of row %d of %d", f, m, k, at, n)
			}
		}
		out, short := make([]float32, 12), make([]float32, 8)
		assert.Panics(t, func() { BinaryRows(Add, Rows)(out, short, out, 3, 2, 3) })
		assert.Panics(t, func() { BinaryRows(Add, ScalarB)(out, out, short, 3, 3, 3) })
		assert.NotPanics(t, func() { BinaryRows(Add, ScalarB)(out, out, short, 3, 3, 2) })
		BinaryRows(Add, Rows)(nil, nil, nil, 3, 1, 1)
	})
}

func TestUnary(t *testing.T) {
	forEachISA(t, func(t *testing.T) {
		if Unary(Relu) == nil {
			t.Skip("no vector code")
		}
		rng := rand.New(rand.NewPCG(3, 4))
		for f := range numUnary {
			code := Unary(f, testParameters...)
			for n := range 150 {
				testUnary(t, rng, f, code, n)
			}
		}
	})
}

// testUnary compares results with unary. It also checks that a result does not depend on the
// position of its element.
func testUnary(t *testing.T, rng *rand.Rand, f UnaryFunction, code func(out, x []float32), n int) {
	x, out, want := row(rng, n), row(rng, n), make([]float32, n)
	code(want, x)
	for i, v := range x {
		if unary[f] != nil {
			want[i] = unary[f](v)
		}
		if i%7 == 0 {
			one := []float32{v}
			code(one, one)
			requireSame(t, want[i], one[0], "function %d of %v, by itself", f, v)
		}
	}
	if rng.IntN(2) == 0 {
		out = x
	}
	code(out, x)
	requireGuard(t, out)
	for i := range want {
		requireSame(t, want[i], out[i], "function %d, element %d of %d", f, i, n)
	}
}

func TestWithoutFeatures(t *testing.T) {
	for _, f := range cpu.Features() {
		defer f.Disable()()
	}
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

// BenchmarkUnary measures the functions of the table in RATIONALE.md.
func BenchmarkUnary(b *testing.B) {
	x := randomFloats(rand.New(rand.NewPCG(3, 3)), 4096, 2)
	out := make([]float32, len(x))
	for _, f := range []struct {
		name     string
		function UnaryFunction
	}{
		{"Exp", Exp}, {"Sigmoid", Sigmoid}, {"Tanh", Tanh}, {"Erf", Erf}, {"GeluErf", GeluErf}, {"GeluTanh", GeluTanh},
		{"Swish", Swish}, {"Mish", Mish}, {"SoftPlus", SoftPlus}, {"Log", Log},
	} {
		run := func(b *testing.B) {
			code := Unary(f.function, 1, 1)
			if code == nil {
				b.Skip("no vector code on this machine")
			}
			b.SetBytes(4 * int64(len(x)))
			for b.Loop() {
				code(out, x)
			}
		}
		b.Run(f.name, run)
		b.Run(f.name+"/AVX2", func(b *testing.B) {
			defer cpu.AVX512.Disable()()
			run(b)
		})
	}
}
