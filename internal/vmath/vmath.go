// Package vmath holds vector code for rows of float32.
//
// Binary, Unary, Checked and their variants return a function, or nil if there is no vector
// code for the machine. The caller then runs a loop of its own; the doc comments of the
// assembly stubs state what the loop computes. A kernel looks up its functions once, when
// it is prepared. Max, Sum, Softmax and the like also have portable loops.
//
// Errors are stated in ULP, units in the last place.
package vmath

// Function is a function of two numbers a and b, for Binary.
type Function uint8

// The functions of two numbers a and b. Maximum and Minimum are b if a or b is NaN.
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

// Mode specifies which operand of Binary is a row, and which a single number.
type Mode uint8

// The modes.
const (
	Rows    Mode = iota // a and b are rows
	ScalarA             // a is a single number
	ScalarB             // b is a single number
	numModes
)

// Binary returns a function that sets out[i] to f(a[i], b[i]) for each element of out. It
// returns nil if there is no vector code. A row must be at least as long as out; of a
// single number, element 0 is used. out may be one of the rows.
func Binary(f Function, m Mode) func(out, a, b []float32) {
	code := binaryOf(f, m)
	if code == nil {
		return nil
	}
	return func(out, a, b []float32) { code(out, a, b, len(out), 0, 0) }
}

// BinaryRows is Binary for several rows of n elements. The rows of out are contiguous, and
// len(out) must be a multiple of n. Rows of a and b start aStep and bStep elements apart,
// which must not be negative. An operand that is a single number has one for each row.
func BinaryRows(f Function, m Mode) func(out, a, b []float32, n, aStep, bStep int) {
	return binaryOf(f, m)
}

// UnaryFunction is a function of a number x, for Unary. Some have parameters a and b.
type UnaryFunction uint8

// The functions of a number x and parameters a and b. A number of ULP is the greatest error
// of the result. Without it, each operation of the formula is correctly rounded. The result
// for NaN is NaN unless stated otherwise.
const (
	Relu UnaryFunction = iota // x > 0 ? x : 0; 0 for NaN
	Abs
	Negative
	Sqrt
	Sign // 1 or -1; x itself for 0 and -0
	Floor
	Ceiling
	RoundHalfToEven
	RoundHalfAway
	Clamp       // min(max(x, a), b); a for NaN
	HSigmoid    // min(max(x+3, 0), 6)/6, with 1/6 rounded
	HSwish      // x*HSigmoid(x)
	HardSigmoid // min(max(a*x+b, 0), 1)
	SoftSign    // x/(1+|x|)
	Exp         // 0.9 ULP
	Sigmoid     // 1/(1+exp(-x)): 2.5 ULP
	Tanh        // 5.5 ULP
	Erf         // 6 ULP
	// x*(1+erf(x/sqrt(2)))/2: 6.7 ULP of the result, or of 2^-119 if the result is smaller.
	// GeluErf, Swish and Mish are NaN for the negative infinity.
	GeluErf
	// x/(1+exp(-2*sqrt(2/pi)*(x+0.044715*x^3))): 1.6 ULP of x.
	GeluTanh
	Swish       // x/(1+exp(-a*x)), with a*x rounded: 3.4 ULP, as for GeluErf
	Mish        // x*tanh(SoftPlus(x)): 4 ULP, as for GeluErf
	SoftPlus    // ln(1+exp(x)): 4.1 ULP
	Elu         // x < 0 ? a*(exp(x)-1) : x: 1.1 ULP if a is 1, otherwise 3 ULP
	Selu        // b*Elu(x): 4 ULP
	Log         // 1 ULP
	Cube        // x*x*x
	Root        // the square root of x; 0 for -0, infinity for the negative infinity
	InverseRoot // 1/Root(x)
	numUnary
)

// Unary returns a function that sets out[i] to f(x[i]) for each element of out. It returns
// nil if there is no vector code. The parameters are a and b, as far as f has them. x must
// be at least as long as out; out may be x. The result for an element does not depend on
// its position.
func Unary(f UnaryFunction, parameters ...float32) func(out, x []float32) {
	code := unaryOf(f)
	if code == nil {
		return nil
	}
	var p [2]float32
	copy(p[:], parameters)
	return func(out, x []float32) { code(out, x, p[0], p[1]) }
}

// UnaryWith is Unary with parameters that are passed with each call.
func UnaryWith(f UnaryFunction) func(out, x []float32, a, b float32) { return unaryOf(f) }
