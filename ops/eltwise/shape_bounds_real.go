package eltwise

import (
	"math"

	"github.com/vinoir/vinoir/ir"
)

// rounded returns f of the floats that x and y encode, rounded to type t as in the kernel; false if
// it is infinite or NaN.
func rounded(f function, t ir.ElementType, x, y int64) (int64, bool) {
	a, b := ir.RealOf(x), ir.RealOf(y)
	var z float64
	switch f {
	case add:
		z = a + b
	case subtract:
		z = a - b
	case multiply:
		z = a * b
	case divide:
		z = a / b
	case power:
		z = math.Pow(a, b)
	case maximum:
		z = max(a, b)
	case minimum:
		z = min(a, b)
	}
	z, _ = t.Round(z)
	if math.IsNaN(z) || math.IsInf(z, 0) {
		return 0, false
	}
	return ir.CodeOf(z), true
}
