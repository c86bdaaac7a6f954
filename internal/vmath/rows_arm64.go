//go:build !noasm

package vmath

import "github.com/vinoir/vinoir/internal/cpu"

// binaryCode holds the kernels of each function and mode.
type binaryCode [numFunctions][numModes]func(out, a, b *float32, n, rows, aStep, bStep int)

// binaryOf is BinaryRows.
func binaryOf(f Function, m Mode) func(out, a, b []float32, n, aStep, bStep int) {
	if !cpu.NEON.Available() {
		return nil
	}
	code := binaryCode{
		Add:               {addRowsNEON, addScalarANEON, addScalarBNEON},
		Subtract:          {subtractRowsNEON, subtractScalarANEON, subtractScalarBNEON},
		Multiply:          {multiplyRowsNEON, multiplyScalarANEON, multiplyScalarBNEON},
		Divide:            {divideRowsNEON, divideScalarANEON, divideScalarBNEON},
		Maximum:           {maximumRowsNEON, maximumScalarANEON, maximumScalarBNEON},
		Minimum:           {minimumRowsNEON, minimumScalarANEON, minimumScalarBNEON},
		SquaredDifference: {squaredDifferenceRowsNEON, squaredDifferenceScalarANEON, squaredDifferenceScalarBNEON},
		PRelu:             {preluRowsNEON, preluScalarANEON, preluScalarBNEON},
	}[f][m]
	return boundBinary(code, m)
}

// unaryCode holds the kernels of each function.
type unaryCode [numUnary]func(out, x *float32, n int, a, b float32)

// unaryOf is UnaryWith.
func unaryOf(f UnaryFunction) func(out, x []float32, a, b float32) {
	if !cpu.NEON.Available() {
		return nil
	}
	code := unaryCode{
		Relu:            reluNEON,
		Abs:             absNEON,
		Negative:        negativeNEON,
		Sqrt:            sqrtNEON,
		Sign:            signNEON,
		Floor:           floorNEON,
		Ceiling:         ceilingNEON,
		RoundHalfToEven: roundHalfToEvenNEON,
		RoundHalfAway:   roundHalfAwayNEON,
		Clamp:           clampNEON,
		HSigmoid:        hsigmoidNEON,
		HSwish:          hswishNEON,
		HardSigmoid:     hardSigmoidNEON,
		SoftSign:        softSignNEON,
		Exp:             expNEON,
		Sigmoid:         sigmoidNEON,
		Tanh:            tanhNEON,
		Erf:             erfNEON,
		GeluErf:         geluErfNEON,
		GeluTanh:        geluTanhNEON,
		Swish:           swishNEON,
		Mish:            mishNEON,
		SoftPlus:        softPlusNEON,
		Elu:             eluNEON,
		Selu:            seluNEON,
		Cube:            cubeNEON,
		Log:             logNEON,
		Root:            rootNEON,
		InverseRoot:     inverseRootNEON,
	}[f]
	return boundUnary(code)
}

// hasVectors reports whether there is vector code for rows.go and checked.go.
func hasVectors() bool { return cpu.NEON.Available() }

// runChecked runs the kernel of f. It reports whether all elements of a and b are in range.
func runChecked(f CheckedFunction, out, a, b *float32, n int) bool {
	switch f {
	case Power:
		return powerCheckedNEON(out, a, b, n)
	case Mod:
		return modCheckedNEON(out, a, b, n)
	case FloorMod:
		return floorModCheckedNEON(out, a, b, n)
	case Sin:
		return sinCheckedNEON(out, a, b, n)
	}
	return cosCheckedNEON(out, a, b, n)
}

func maxOf(x *float32, n int) float32 { return maxRowNEON(x, n) }

func sumOf(x *float32, n int) float32 { return sumRowNEON(x, n) }

func squaresOf(x *float32, m float32, n int) float32 { return squaresRowNEON(x, m, n) }

func expSumOf(out, x *float32, m float32, n int) float32 { return expSumRowNEON(out, x, m, n) }

func softmaxShortRows(_, _ []float32, _ int) bool { return false }

func affineOf(out, x *float32, sub, mul, add float32, n int) {
	affineRowNEON(out, x, sub, mul, add, n)
}
