// Package vmath holds vector code for rows of float32. Where the machine has none,
// the functions that look it up return nil, and the caller runs a loop of its own:
// the doc of each function in the stubs says what that loop is. The functions that
// make one number of a row, and those that go with them, have loops here. What is not
// correctly rounded says so.
package vmath

// Function names a function of two rows, or of a row and a number.
type Function uint8

// The functions of two numbers a and b. The maximum and the minimum are b where
// one of them is NaN.
const (
	Add Function = iota
	Subtract
	Multiply
	Divide
	Maximum
	Minimum
	SquaredDifference
	PRelu // a < 0 ? a*b : a
	numFunctions
)

// Mode says which of the operands is a single number.
type Mode uint8

// The modes: none of them, a, b.
const (
	Rows Mode = iota
	ScalarA
	ScalarB
	numModes
)

// Binary returns the code that sets out[i] to f(a[i], b[i]) for every element of
// out, nil where there is none. A row has as many elements as out; out may be one.
func Binary(f Function, m Mode) func(out, a, b []float32) {
	code := binaryOf(f, m)
	if code == nil {
		return nil
	}
	return func(out, a, b []float32) { code(out, a, b, len(out), 0, 0) }
}

// BinaryRows is Binary for rows of n elements, of which out has a whole number, one
// after the other; those of a and b are aStep and bStep elements apart, 0 or more.
func BinaryRows(f Function, m Mode) func(out, a, b []float32, n, aStep, bStep int) {
	return binaryOf(f, m)
}

// UnaryFunction names a function of one row.
type UnaryFunction uint8

// The functions of one number x, and of parameters a and b, which some have. Where a
// number of units is given, the result is within as many units in the last place; the
// others are correctly rounded, or have the roundings of their formula. NaN stays NaN
// where nothing else is said.
const (
	Relu UnaryFunction = iota // x > 0 ? x : 0, of NaN 0
	Abs
	Negative
	Sqrt
	Sign // 1, -1, or the zero that x is
	Floor
	Ceiling
	RoundHalfToEven
	RoundHalfAway
	Clamp       // min(max(x, a), b), of NaN a
	HSigmoid    // min(max(x+3, 0), 6)/6, with 1/6 rounded
	HSwish      // x*HSigmoid(x)
	HardSigmoid // min(max(a*x+b, 0), 1)
	SoftSign    // x/(1+|x|)
	Exp         // 2 units
	Sigmoid     // 1/(1+exp(-x)): 3 units
	Tanh        // 5 units
	Erf         // 5 units
	// x*(1+erf(x/sqrt(2)))/2: 5 units, of a number of at least 2^-119. It is NaN for the
	// negative infinity, as Swish and Mish are.
	GeluErf
	// x/(1+exp(-2*sqrt(2/pi)*(x+0.044715*x^3))): 4 units of x.
	GeluTanh
	Swish       // x/(1+exp(-a*x)), with a*x rounded: 4 units, of 2^-119 at least
	Mish        // x*tanh(SoftPlus(x)): 4 units, of 2^-119 at least
	SoftPlus    // ln(1+exp(x)): 4 units
	Elu         // x < 0 ? a*(exp(x)-1) : x: 3 units
	Selu        // b*Elu(x): 4 units
	Log         // 3 units
	Cube        // x*x*x
	Root        // x to the 0.5: of -0 it is 0, of the negative infinity infinity
	InverseRoot // 1/Root(x)
	numUnary
)

// Unary returns the code that sets out[i] to f(x[i]) for every element of out, nil
// where there is none. x has as many elements as out; out may be x. An element's
// result does not depend on where it stands. The parameters are a and b.
func Unary(f UnaryFunction, parameters ...float32) func(out, x []float32) {
	code := unaryOf(f)
	if code == nil {
		return nil
	}
	var p [2]float32
	copy(p[:], parameters)
	return func(out, x []float32) { code(out, x, p[0], p[1]) }
}

// UnaryWith is Unary with parameters that are known when it runs.
func UnaryWith(f UnaryFunction) func(out, x []float32, a, b float32) { return unaryOf(f) }
