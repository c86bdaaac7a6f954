package vmath

import (
	"cmp"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// precision holds the greatest errors that the doc comments of the functions state.
var precision = []struct {
	f     UnaryFunction
	name  string
	ulps  float64
	exact func(x float64) float64
	// atLeast returns a lower bound of the number whose last place is the unit of the error.
	// If it is nil, the number is the result.
	atLeast func(x float64) float64
	// TestUnary_exhaustive tests all numbers from from to to, and their negatives unless positive
	// is set. Beyond that, the function is constant, linear or periodic in the exponent, apart
	// from rounding, and TestUnary_precision has a sample.
	from, to float32
	positive bool
}{
	{Exp, "Exp", 0.9, math.Exp, nil, 0x1p-14, 0x1p7, false},
	{Sigmoid, "Sigmoid", 2.5, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, nil, 0x1p-14, 0x1p7, false},
	{Log, "Log", 1, math.Log, nil, 0x1p-14, 0x1p14, true},
	{Tanh, "Tanh", 5.5, math.Tanh, nil, 0x1p-14, 0x1p4, false},
	{Erf, "Erf", 6, math.Erf, nil, 0x1p-14, 0x1p3, false},
	{GeluErf, "GeluErf", 6.7, func(x float64) float64 { return x * math.Erfc(-x/math.Sqrt2) / 2 }, deepTail, 0x1p-14, 0x1p4, false},
	{GeluTanh, "GeluTanh", 1.6, func(x float64) float64 {
		return x / (1 + math.Exp(-2*math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
	}, math.Abs, 0x1p-14, 0x1p5, false},
	{Swish, "Swish", 3.4, func(x float64) float64 { return x / (1 + math.Exp(-x)) }, deepTail, 0x1p-14, 0x1p7, false},
	{Mish, "Mish", 4, mishOf, deepTail, 0x1p-14, 0x1p7, false},
	{SoftPlus, "SoftPlus", 4.1, func(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }, nil, 0x1p-14, 0x1p7, false},
	{Elu, "Elu", 1.1, eluOf, nil, 0x1p-14, 0x1p5, false},
	{Selu, "Selu", 1.1, eluOf, nil, 0x1p-14, 0x1p5, false},
	{HSigmoid, "HSigmoid", 1.4, hsigmoidOf, func(float64) float64 { return 0.5 }, 0x1p-14, 0x1p3, false},
	{HSwish, "HSwish", 1.9, func(x float64) float64 { return x * hsigmoidOf(x) }, math.Abs, 0x1p-14, 0x1p3, false},
	{InverseRoot, "InverseRoot", 1.5, func(x float64) float64 { return math.Pow(x, -0.5) }, nil, 1, 4, true},
}

func mishOf(x float64) float64 {
	if x > 100 {
		return x
	}
	n := math.Exp(x) * (math.Exp(x) + 2)
	return x * (n / (n + 2))
}

func eluOf(x float64) float64 {
	if x < 0 {
		return math.Expm1(x)
	}
	return x
}

func hsigmoidOf(x float64) float64 { return min(max(x+3, 0), 6) / 6 }

// deepTail is the number below which an exponential has few exact bits.
func deepTail(float64) float64 { return 0x1p-119 }

// TestUnary_precision compares results with float64, for special values, numbers of every
// exponent, and random numbers of the range that is not linear.
func TestUnary_precision(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	x := []float32{
		0, float32(math.Copysign(0, -1)), float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)),
		88.72283, 88.722846, -87.33655, -103.5, -103.98, -104.5, 1e30, -1e30, 1e-30, 1e-40, 0.625, 0.6249999,
		math.MaxFloat32, -math.MaxFloat32, 9.02, 9.03, -9.02, 3.93, 3.94, 14.43, -14.43, -14.42, -14.44, -14.5, -25, -26, 20, 21,
	}
	for exponent := range uint32(256) {
		for range 64 {
			x = append(x, math.Float32frombits(rng.Uint32()&^(0xff<<23)|exponent<<23))
		}
	}
	for range 200000 {
		x = append(x, float32(rng.NormFloat64()*math.Exp(rng.Float64()*10-6)))
	}
	out := make([]float32, len(x))
	forEachISA(t, func(t *testing.T) {
		for _, p := range precision {
			code := Unary(p.f, 1, 1)
			if code == nil {
				t.Skip("no vector code")
			}
			code(out, x)
			worst, at := 0.0, float32(0)
			for i, v := range x {
				want := p.exact(float64(v))
				unit := math.Abs(want)
				if p.atLeast != nil {
					unit = max(unit, p.atLeast(float64(v)))
				}
				if e := distance(want, out[i], unit); e > worst {
					worst, at = e, v
				}
			}
			assert.LessOrEqual(t, worst, p.ulps, "%s of %v", p.name, at)
			t.Logf("%s: %.2f ULP, for %v", p.name, worst, at)
		}
	})
}

// exhaustiveVariable is an environment variable that, if it is not empty, enables tests that
// take minutes.
const exhaustiveVariable = "VINOIR_EXHAUSTIVE"

// TestUnary_exhaustive compares the results of all numbers of a range with float64, for all
// instruction sets.
func TestUnary_exhaustive(t *testing.T) {
	if os.Getenv(exhaustiveVariable) == "" {
		t.Skip(exhaustiveVariable + " is not set")
	}
	for _, p := range precision {
		t.Run(p.name, func(t *testing.T) {
			var kernels []func(out, x []float32)
			forEachISA(t, func(*testing.T) {
				if code := Unary(p.f, 1, 1); code != nil {
					kernels = append(kernels, code)
				}
			})
			first, last := math.Float32bits(p.from), math.Float32bits(p.to)
			worst := make([][]numberError, runtime.GOMAXPROCS(0))
			var group sync.WaitGroup
			for w := range worst {
				worst[w] = make([]numberError, len(kernels))
				group.Go(func() {
					var x []float32
					y := make([][]float32, len(kernels))
					for bits := first + uint32(w*exhaustivePiece); bits < last; bits += uint32(len(worst) * exhaustivePiece) {
						x = x[:0]
						for b := bits; b < min(bits+exhaustivePiece, last); b++ {
							x = append(x, math.Float32frombits(b))
							if !p.positive {
								x = append(x, -math.Float32frombits(b))
							}
						}
						for k, code := range kernels {
							y[k] = append(y[k][:0], x...)
							code(y[k], x)
						}
						exhaustiveErrors(worst[w], x, y, p.exact, p.atLeast)
					}
				})
			}
			group.Wait()
			for k := range kernels {
				greatest := slices.MaxFunc(worst, func(a, b []numberError) int { return cmp.Compare(a[k].ulps, b[k].ulps) })[k]
				assert.LessOrEqual(t, greatest.ulps, p.ulps, "%s of %v, instruction set %d", p.name, greatest.x, k)
				t.Logf("instruction set %d: %.3f ULP, for %v", k, greatest.ulps, greatest.x)
			}
		})
	}
}

// exhaustivePiece is the number of elements of a call.
const exhaustivePiece = 1 << 12

// numberError is the error of the result for x.
type numberError struct {
	ulps float64
	x    float32
}

// exhaustiveErrors updates the greatest error of each kernel with its results y for x.
func exhaustiveErrors(worst []numberError, x []float32, y [][]float32, exact, atLeast func(float64) float64) {
	for i, v := range x {
		want := exact(float64(v))
		unit := math.Abs(want)
		if atLeast != nil {
			unit = max(unit, atLeast(float64(v)))
		}
		exponent := max(int(math.Float64bits(unit)>>52)-1023, -126)
		perULP := math.Float64frombits(uint64(23-exponent+1023) << 52)
		for k := range worst {
			got := float64(y[k][i])
			e := math.Abs(got-want) * perULP
			if e <= worst[k].ulps {
				continue
			}
			// e is NaN or too great if the result is infinite or NaN.
			if e = distance(want, y[k][i], unit); e > worst[k].ulps {
				worst[k] = numberError{e, v}
			}
		}
	}
}

// distance returns |got-want| in ULP of unit. It is infinite if only one of them is NaN or
// infinite, or if their signs differ.
func distance(want float64, got float32, unit float64) float64 {
	rounded := float32(want)
	switch {
	case rounded != rounded || got != got || math.IsInf(float64(rounded), 0):
		if rounded == got || rounded != rounded && got != got {
			return 0
		}
		return math.Inf(1)
	case rounded != 0 && got != 0 && math.Signbit(want) != math.Signbit(float64(got)):
		return math.Inf(1)
	}
	u := float32(min(unit, math.MaxFloat32))
	last := float64(math.Nextafter32(u, math.MaxFloat32)) - float64(u)
	if u >= math.MaxFloat32 {
		last = 0x1p104
	}
	return math.Abs(float64(got)-want) / last
}

// TestUnary_saturated checks that functions with the limit 1 reach it and do not exceed it.
func TestUnary_saturated(t *testing.T) {
	forEachISA(t, func(t *testing.T) {
		for f, from := range map[UnaryFunction]float32{Tanh: 9.02, Erf: 3.93, Sigmoid: 18} {
			code := Unary(f)
			if code == nil {
				t.Skip("no vector code")
			}
			x := make([]float32, 0, 100000)
			for i := range cap(x) {
				x = append(x, from+float32(i)*0x1p-12)
			}
			code(x, x)
			for i, y := range x {
				if y != 1 {
					t.Fatalf("function %d of %v: %v", f, from+float32(i)*0x1p-12, y)
				}
			}
		}
	})
}

// TestUnary_special checks the results that are exact: those of NaN, infinities, zeros, the
// greatest number and the least one.
func TestUnary_special(t *testing.T) {
	inf, nan, zero := float32(math.Inf(1)), float32(math.NaN()), float32(math.Copysign(0, -1))
	const greatest, least = math.MaxFloat32, math.SmallestNonzeroFloat32
	x := []float32{nan, inf, -inf, 0, zero, greatest, -greatest, least, -least}
	forEachISA(t, func(t *testing.T) {
		if Unary(Exp) == nil {
			t.Skip("no vector code")
		}
		for f, want := range map[UnaryFunction][]float32{
			Relu:            {0, inf, 0, 0, 0, greatest, 0, least, 0},
			Abs:             {nan, inf, inf, 0, 0, greatest, greatest, least, least},
			Negative:        {nan, -inf, inf, zero, 0, -greatest, greatest, -least, least},
			Sqrt:            {nan, inf, nan, 0, zero, 0x1.fffffep63, nan, 0x1.6a09e6p-75, nan},
			Sign:            {nan, 1, -1, 0, zero, 1, -1, 1, -1},
			Floor:           {nan, inf, -inf, 0, zero, greatest, -greatest, 0, -1},
			Ceiling:         {nan, inf, -inf, 0, zero, greatest, -greatest, 1, zero},
			RoundHalfToEven: {nan, inf, -inf, 0, zero, greatest, -greatest, 0, zero},
			RoundHalfAway:   {nan, inf, -inf, 0, zero, greatest, -greatest, 0, zero},
			HSigmoid:        {nan, 1, 0, 0.5, 0.5, 1, 0, 0.5, 0.5},
			SoftSign:        {nan, nan, nan, 0, zero, 1, -1, least, -least},
			Exp:             {nan, inf, 0, 1, 1, inf, 0, 1, 1},
			Sigmoid:         {nan, 1, 0, 0.5, 0.5, 1, 0, 0.5, 0.5},
			Tanh:            {nan, 1, -1, 0, zero, 1, -1, least, -least},
			Erf:             {nan, 1, -1, 0, zero, 1, -1, least, -least},
			GeluErf:         {nan, inf, nan, 0, zero, greatest, zero, 0, zero},
			GeluTanh:        {nan, inf, nan, 0, zero, greatest, zero, 0, zero},
			Swish:           {nan, inf, nan, 0, zero, greatest, zero, 0, zero},
			Mish:            {nan, inf, nan, 0, zero, greatest, zero, least, -least},
			SoftPlus:        {nan, inf, 0, math.Ln2, math.Ln2, greatest, 0, math.Ln2, math.Ln2},
			Elu:             {nan, inf, -1, 0, zero, greatest, -1, least, -least},
			Log:             {nan, inf, nan, -inf, -inf, 0x1.62e43p6, nan, -0x1.9d1dap6, nan},
			Root:            {nan, inf, inf, 0, 0, 0x1.fffffep63, nan, 0x1.6a09e6p-75, nan},
		} {
			got := make([]float32, len(x))
			Unary(f, 1, 1)(got, x)
			for i := range x {
				requireSame(t, want[i], got[i], "function %d of %v: %v", f, x[i], got[i])
			}
		}
	})
}

// checkedULPs is the greatest error of Power, Sin and Cos that their doc comments state.
const checkedULPs = 2

// TestChecked_exhaustive is TestUnary_exhaustive for Sin and Cos of positive numbers, of which it
// skips most above 2^10, and for some powers of all mantissas.
func TestChecked_exhaustive(t *testing.T) {
	if os.Getenv(exhaustiveVariable) == "" {
		t.Skip(exhaustiveVariable + " is not set")
	}
	for _, c := range []struct {
		name     string
		f        CheckedFunction
		from, to float32
		b        float32
	}{
		{"Sin", Sin, 0x1p-13, 0x1p40, 0},
		{"Cos", Cos, 0x1p-13, 0x1p40, 0},
		{"square root", Power, 1, 4, 0.5},
		{"positive power", Power, 0.5, 2, 11.7},
		{"negative power", Power, 0.5, 2, -73},
	} {
		t.Run(c.name, func(t *testing.T) {
			var kernels []func(out, a, b []float32)
			forEachISA(t, func(*testing.T) {
				if code := Checked(c.f); code != nil {
					kernels = append(kernels, code)
				}
			})
			worst := make([]numberError, len(kernels))
			x, y := make([]float32, 0, exhaustivePiece), make([][]float32, len(kernels))
			for bits := math.Float32bits(c.from); bits < math.Float32bits(c.to); {
				x = x[:0]
				for range exhaustivePiece {
					x = append(x, math.Float32frombits(bits))
					bits++
					if bits > math.Float32bits(0x1p10) {
						bits += 100
					}
				}
				for k, code := range kernels {
					y[k] = append(y[k][:0], x...)
					code(y[k], x, []float32{c.b})
				}
				exhaustiveErrors(worst, x, y, func(x float64) float64 { return exact[c.f](x, float64(c.b)) }, nil)
			}
			for k, e := range worst {
				assert.LessOrEqual(t, e.ulps, float64(checkedULPs), "%s of %v, instruction set %d", c.name, e.x, k)
				t.Logf("instruction set %d: %.3f ULP, for %v", k, e.ulps, e.x)
			}
		})
	}
}
