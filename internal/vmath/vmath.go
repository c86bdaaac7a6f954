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
func Binary(f Function, m Mode) func(out, a, b []float32) { return binaryOf(f, m) }

// UnaryFunction names a function of one row.
type UnaryFunction uint8

// The functions of one number.
const (
	Relu UnaryFunction = iota // 0 for NaN
	Abs
	Negative
	Sqrt
	// Within three units in the last place.
	Exp
	Sigmoid // 1/(1+exp(-x))
	Tanh
	numUnary
)

// Unary returns the code that sets out[i] to f(x[i]) for every element of out, nil
// where there is none. x has as many elements as out; out may be x.
func Unary(f UnaryFunction) func(out, x []float32) { return unaryOf(f) }
