package eltwise

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/vmath"
)

// float32Loop is floatLoop for float32, in vector code if there is some.
func float32Loop(f function, s stretching) loop[float32, float32] {
	if code := vectorRows(f, s); code != nil {
		return func(out, a, b []float32) int { return code(out, a, b, len(out), 0, 0) }
	}
	if l := checkedLoop(f, s); l != nil {
		return l
	}
	return floatLoop[float32](f, s)
}

// floatLoop returns the loop of a function of floats; nil for bitwise functions and comparisons.
func floatLoop[T cast.Float](f function, s stretching) loop[T, T] {
	switch f {
	case divide, floorDiv: // m_pythondiv only affects integers
		return [...]loop[T, T]{divideRows[T], divideScalarBy[T], divideScalar[T]}[s]
	case mod:
		return each(s, remainder[T])
	case floorMod:
		return each(s, floorRemainder[T])
	case power:
		if s == bStretched {
			return powerScalar[T]
		}
		return each(s, pow[T])
	}
	if l := sumLoop[T](f, s); l != nil {
		return l
	}
	return orderLoop[T](f, s)
}

// vectorRows returns the vector code of a function for rows as in rowsLoop; nil if there is no such
// code.
func vectorRows(f function, s stretching) func(out, a, b []float32, n, aStep, bStep int) int {
	v, ok := vectors[f]
	if !ok {
		return nil
	}
	code := vmath.BinaryRows(v, [...]vmath.Mode{noneStretched: vmath.Rows, aStretched: vmath.ScalarA, bStretched: vmath.ScalarB}[s])
	if code == nil {
		return nil
	}
	return func(out, a, b []float32, n, aStep, bStep int) int {
		code(out, a, b, n, aStep, bStep)
		return -1
	}
}

// checkedLoop returns the vector code of one row, for functions whose vector code is valid only for
// a range of numbers (see vmath.CheckedFunction).
func checkedLoop(f function, s stretching) loop[float32, float32] {
	v, ok := map[function]vmath.CheckedFunction{floorMod: vmath.FloorMod, mod: vmath.Mod, power: vmath.Power}[f]
	code := vmath.Checked(v)
	if !ok || code == nil {
		return nil
	}
	if f == power && s == bStretched {
		return powerLoop(code)
	}
	return func(out, a, b []float32) int {
		code(out, a, b)
		return -1
	}
}

// vectors holds the functions with vector code.
var vectors = map[function]vmath.Function{
	add:               vmath.Add,
	divide:            vmath.Divide,
	floorDiv:          vmath.Divide, // m_pythondiv only affects integers
	maximum:           vmath.Maximum,
	minimum:           vmath.Minimum,
	multiply:          vmath.Multiply,
	prelu:             vmath.PRelu,
	squaredDifference: vmath.SquaredDifference,
	subtract:          vmath.Subtract,
}

func divideRows[T cast.Float](out, a, b []T) int {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] / b[i]
	}
	return -1
}

func divideScalar[T cast.Float](out, a, b []T) int {
	a = a[:len(out)]
	y := b[0]
	for i := range out {
		out[i] = a[i] / y
	}
	return -1
}

func divideScalarBy[T cast.Float](out, a, b []T) int {
	b = b[:len(out)]
	x := a[0]
	for i := range out {
		out[i] = x / b[i]
	}
	return -1
}

// remainder returns the remainder of x/y with the quotient rounded towards zero.
func remainder[T cast.Float](x, y T) T { return T(math.Mod(float64(x), float64(y))) }

// floorRemainder returns the remainder of x/y with the quotient rounded down. It is between 0 and
// y.
func floorRemainder[T cast.Float](x, y T) T {
	r := T(math.Mod(float64(x), float64(y)))
	switch {
	case r == 0:
		return T(math.Copysign(0, float64(y)))
	case r < 0 != (y < 0):
		return r + y
	}
	return r
}

func pow[T cast.Float](x, y T) T { return T(math.Pow(float64(x), float64(y))) }

// powerLoop returns powerScalar in vector code. other computes all powers without special code.
func powerLoop(other func(out, a, b []float32)) loop[float32, float32] {
	multiply, divide := vmath.Binary(vmath.Multiply, vmath.Rows), vmath.Binary(vmath.Divide, vmath.ScalarA)
	cube, root, inverseRoot := vmath.Unary(vmath.Cube), vmath.Unary(vmath.Root), vmath.Unary(vmath.InverseRoot)
	one := []float32{1}
	return func(out, a, b []float32) int {
		switch b[0] {
		case 2:
			multiply(out, a, a)
		case 3:
			cube(out, a)
		case -1:
			divide(out, one, a)
		case 0.5:
			root(out, a)
		case -0.5:
			inverseRoot(out, a)
		default:
			other(out, a, b)
		}
		return -1
	}
}

// powerScalar computes common powers without math.Pow.
func powerScalar[T cast.Float](out, a, b []T) int {
	a = a[:len(out)]
	switch y := b[0]; y {
	case 2:
		for i, x := range a {
			out[i] = x * x
		}
	case 3:
		for i, x := range a {
			out[i] = T(float64(x) * float64(x) * float64(x))
		}
	case -1:
		for i, x := range a {
			out[i] = 1 / x
		}
	case 0.5:
		for i, x := range a {
			out[i] = T(root(float64(x)))
		}
	case -0.5:
		for i, x := range a {
			out[i] = T(1 / root(float64(x)))
		}
	default:
		for i, x := range a {
			out[i] = pow(x, y)
		}
	}
	return -1
}

// root returns x to the power of 0.5. It differs from the square root for -0, which gives 0, and
// for negative infinity, which gives infinity.
func root(x float64) float64 {
	if math.IsInf(x, -1) {
		return math.Inf(1)
	}
	return math.Sqrt(x + 0) // turns -0 into 0
}
