package vmath

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestChecked tests pieces with all numbers in range, and pieces with some out of range.
func TestChecked(t *testing.T) {
	forEachISA(t, func(t *testing.T) {
		if Checked(Power) == nil {
			t.Skip("no vector code")
		}
		rng := rand.New(rand.NewPCG(1, 9))
		worst := [numChecked]float64{}
		for f := range numChecked {
			for range 100 {
				n := 1 + rng.IntN(3*piece)
				a, b, out := row(rng, n), row(rng, n), row(rng, n)
				kind := rng.IntN(3)
				for i := range a {
					if kind > 0 {
						a[i], b[i] = float32(math.Abs(rng.NormFloat64()*math.Exp(rng.NormFloat64()*10))), float32(rng.NormFloat64()*3)
					}
					if kind > 1 {
						a[i] *= float32(rng.IntN(2)*2 - 1)
					}
					if f == Power && rng.IntN(2) == 0 {
						b[i] = float32(math.Round(float64(b[i])))
					}
				}
				switch rng.IntN(4) {
				case 0:
					out = a
				case 1:
					b = b[:min(n, 1)]
				}
				want := make([]float64, n)
				for i := range want {
					want[i] = exact[f](float64(a[i]), float64(b[i%len(b)]))
				}
				x := append([]float32(nil), a...)
				Checked(f)(out, a, b)
				requireGuard(t, out)
				if i := rng.IntN(n + 1); i < n {
					one := []float32{0}
					Checked(f)(one, x[i:i+1], b[i%len(b):][:1])
					requireSame(t, one[0], out[i], "function %d of %v, by itself", f, x[i])
				}
				for i, w := range want {
					e := distance(w, out[i], math.Abs(w))
					worst[f] = max(worst[f], e)
					if f == Mod || f == FloorMod {
						requireSame(t, float32(w), out[i], "function %d", f)
					}
					require.LessOrEqual(t, e, float64(checkedULPs), "function %d, element %d: %v, want %v", f, i, out[i], w)
				}
			}
		}
		t.Log(worst)
	})
}

func TestChecked_special(t *testing.T) {
	if Checked(Power) == nil {
		t.Skip("no vector code on this machine")
	}
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for f := range numChecked {
		for _, x := range []float64{0, zero, 1, -1, 2, -2, 3, 5e-45, 1e-40, 3e38, -3e38, inf, -inf, nan, 1 << 22, 1 << 23, 1e12, 1e30, 0.5} {
			for _, y := range []float64{0, zero, 1, -1, 2, 3, -3, 0.5, 1e-40, 3e38, inf, -inf, nan, 127, -149, 7} {
				out := []float32{0}
				a, b := float32(x), float32(y)
				Checked(f)(out, []float32{a}, []float32{b})
				want := exact[f](float64(a), float64(b))
				assert.LessOrEqual(t, distance(want, out[0], math.Abs(want)), float64(checkedULPs), "function %d of %v and %v: %v, want %v", f, a, b, out[0], want)
				if want == 0 {
					assert.Equal(t, math.Signbit(want), math.Signbit(float64(out[0])), "function %d of %v and %v", f, a, b)
				}
			}
		}
	}
}

func TestChecked_allocations(t *testing.T) {
	if Checked(Power) == nil {
		t.Skip("no vector code on this machine")
	}
	out, a, b := make([]float32, 600), make([]float32, 600), []float32{2.5}
	for f := range numChecked {
		code := Checked(f)
		assert.Zero(t, testing.AllocsPerRun(10, func() { code(out, a, b) }), "function %d", f)
	}
}
