package vmath

import (
	"math"
	"math/rand/v2"
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
}{
	{Exp, "Exp", 2, math.Exp, nil},
	{Sigmoid, "Sigmoid", 3, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, nil},
	{Log, "Log", 3, math.Log, nil},
	{Tanh, "Tanh", 5, math.Tanh, nil},
	{Erf, "Erf", 5, math.Erf, nil},
	{GeluErf, "GeluErf", 5, func(x float64) float64 { return x * math.Erfc(-x/math.Sqrt2) / 2 }, deepTail},
	{GeluTanh, "GeluTanh", 4, func(x float64) float64 {
		return x / (1 + math.Exp(-2*math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
	}, math.Abs},
	{Swish, "Swish", 4, func(x float64) float64 { return x / (1 + math.Exp(-x)) }, deepTail},
	{Mish, "Mish", 4, func(x float64) float64 {
		n := math.Exp(x) * (math.Exp(x) + 2)
		if x > 100 {
			return x
		}
		return x * (n / (n + 2))
	}, deepTail},
	{SoftPlus, "SoftPlus", 4, func(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }, nil},
	{Elu, "Elu", 3, func(x float64) float64 {
		if x < 0 {
			return math.Expm1(x)
		}
		return x
	}, nil},
	{Selu, "Selu", 3, func(x float64) float64 {
		if x < 0 {
			return math.Expm1(x)
		}
		return x
	}, nil},
	{HSigmoid, "HSigmoid", 2, func(x float64) float64 { return min(max(x+3, 0), 6) / 6 }, func(float64) float64 { return 0.5 }},
	{HSwish, "HSwish", 2, func(x float64) float64 { return x * (min(max(x+3, 0), 6) / 6) }, math.Abs},
	{InverseRoot, "InverseRoot", 2, func(x float64) float64 { return math.Pow(x, -0.5) }, nil},
}

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
