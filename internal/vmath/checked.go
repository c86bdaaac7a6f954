package vmath

import "math"

// CheckedFunction names a function of a or of a and b whose vector code holds for most
// numbers; the others are computed one by one.
type CheckedFunction uint8

// The functions, as package math defines them. The number behind some is their
// greatest error in units in the last place.
const (
	Power    CheckedFunction = iota // a to the b: 2
	Mod                             // a - b*trunc(a/b), with the sign of a
	FloorMod                        // a - b*floor(a/b), with the sign of b
	Sin                             // of a: 2
	Cos                             // of a: 2
	numChecked
)

// exact is each function of one element.
var exact = [numChecked]func(a, b float64) float64{
	Power: math.Pow, Mod: math.Mod, FloorMod: floorMod,
	Sin: func(a, _ float64) float64 { return math.Sin(a) },
	Cos: func(a, _ float64) float64 { return math.Cos(a) },
}

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

// holds says where the result of vector code holds, as that does.
var holds = [numChecked]func(a, b float32) bool{
	Power:    func(a, b float32) bool { return a != 0 && a-a == 0 && math.Abs(float64(b)) < 1<<22 },
	Mod:      smallQuotient,
	FloorMod: smallQuotient,
	Sin:      fewTurns,
	Cos:      fewTurns,
}

func smallQuotient(a, b float32) bool {
	return math.Abs(math.Trunc(float64(a/b))) < 1<<22 && math.Abs(float64(b)) <= math.MaxFloat32
}

func fewTurns(a, _ float32) bool { return math.Abs(float64(a)) < 1<<40 }

// piece is the number of elements that are checked at a time.
const piece = 256

// Checked returns the code that sets out[i] to f(a[i], b[i]) for every element of out,
// nil where there is none. An operand has as many elements as out, or one for all; out
// may be one. An element's result does not depend on where it stands.
func Checked(f CheckedFunction) func(out, a, b []float32) {
	if !vectors() {
		return nil
	}
	one, holds := exact[f], holds[f]
	return func(out, a, b []float32) {
		var x, y, z [piece]float32
		for lo := 0; lo < len(out); lo += piece {
			n := min(piece, len(out)-lo)
			a, b := operand(&x, a, lo, n), operand(&y, b, lo, n)
			if !runChecked(f, &z[0], &a[0], &b[0], n) {
				for i := range n {
					if !holds(a[i], b[i]) {
						z[i] = float32(one(float64(a[i]), float64(b[i])))
					}
				}
			}
			copy(out[lo:], z[:n])
		}
	}
}

// operand returns the n elements of a from lo on, or as many of the only one in x.
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
