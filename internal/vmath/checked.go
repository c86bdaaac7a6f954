package vmath

import "math"

// CheckedFunction is a function of a, or of a and b. Its vector code is valid for a range
// of numbers; other numbers are computed one by one by package math.
type CheckedFunction uint8

// The checked functions. Their special values are those of package math. Mod is exact,
// and FloorMod is rounded once.
const (
	Power    CheckedFunction = iota // a to the power of b, within 2 ULP
	Mod                             // a - b*trunc(a/b), with the sign of a
	FloorMod                        // a - b*floor(a/b), with the sign of b
	Sin                             // sin(a), within 2 ULP
	Cos                             // cos(a), within 2 ULP
	numChecked
)

// exact holds the functions in float64, for numbers outside the range of the vector code.
var exact = [numChecked]func(a, b float64) float64{
	Power: math.Pow, Mod: math.Mod, FloorMod: floorMod,
	Sin: func(a, _ float64) float64 { return math.Sin(a) },
	Cos: func(a, _ float64) float64 { return math.Cos(a) },
}

// floorMod is FloorMod for a and b that are float32.
func floorMod(a, b float64) float64 {
	r := math.Mod(a, b)
	switch {
	case r == 0:
		return math.Copysign(0, b)
	case r < 0 != (b < 0):
		return float64(float32(r) + float32(b))
	}
	return r
}

// inRange reports whether the vector code is valid for a and b. The vector code has the
// same conditions.
var inRange = [numChecked]func(a, b float32) bool{
	Power:    func(a, b float32) bool { return a != 0 && a-a == 0 && math.Abs(float64(b)) < 1<<22 },
	Mod:      smallQuotient,
	FloorMod: smallQuotient,
	Sin:      fewTurns,
	Cos:      fewTurns,
}

// smallQuotient is the range of Mod and FloorMod.
func smallQuotient(a, b float32) bool {
	return math.Abs(math.Trunc(float64(a/b))) < 1<<22 && math.Abs(float64(b)) <= math.MaxFloat32
}

// fewTurns is the range of Sin and Cos.
func fewTurns(a, _ float32) bool { return math.Abs(float64(a)) < 1<<40 }

// piece is the number of elements that are checked at a time.
const piece = 256

// Checked returns a function that sets out[i] to f(a[i], b[i]) for each element of out. It
// returns nil if there is no vector code. a and b have as many elements as out, or a single
// element that is used for all. Sin and Cos ignore b, but it must not be empty. out may be a or
// b. The result for an element does not depend on its position.
func Checked(f CheckedFunction) func(out, a, b []float32) {
	if !hasVectors() {
		return nil
	}
	exact, inRange := exact[f], inRange[f]
	return func(out, a, b []float32) {
		var x, y, z [piece]float32
		for lo := 0; lo < len(out); lo += piece {
			n := min(piece, len(out)-lo)
			a, b := operand(&x, a, lo, n), operand(&y, b, lo, n)
			if !runChecked(f, &z[0], &a[0], &b[0], n) {
				for i := range n {
					if !inRange(a[i], b[i]) {
						z[i] = float32(exact(float64(a[i]), float64(b[i])))
					}
				}
			}
			copy(out[lo:], z[:n])
		}
	}
}

// operand returns a[lo:lo+n]. If a has a single element, it returns n copies of it in x,
// which keeps them from one piece to the next.
func operand(x *[piece]float32, a []float32, lo, n int) []float32 {
	if len(a) > 1 {
		return a[lo : lo+n]
	}
	if lo == 0 {
		for i := range n {
			x[i] = a[0]
		}
	}
	return x[:n]
}
