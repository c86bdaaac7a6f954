//go:build amd64 && !noasm

package vmath

import "github.com/vinoir/vinoir/internal/cpu"

//go:generate sh -c "cd _asm && go run . -out ../rows_amd64.s -stubs ../stubs_amd64.go -pkg vmath"

func binaryOf(f Function, m Mode) func(out, a, b []float32) {
	if !cpu.AVX2.Available() {
		return nil
	}
	code := [numFunctions][numModes]func(out, a, b *float32, n int){
		Add:               {addRows, addScalarA, addScalarB},
		Subtract:          {subtractRows, subtractScalarA, subtractScalarB},
		Multiply:          {multiplyRows, multiplyScalarA, multiplyScalarB},
		Divide:            {divideRows, divideScalarA, divideScalarB},
		Maximum:           {maximumRows, maximumScalarA, maximumScalarB},
		Minimum:           {minimumRows, minimumScalarA, minimumScalarB},
		SquaredDifference: {squaredDifferenceRows, squaredDifferenceScalarA, squaredDifferenceScalarB},
	}[f][m]
	return func(out, a, b []float32) {
		n := len(out)
		if n == 0 {
			return
		}
		// The assembly checks nothing.
		if m != ScalarA {
			_ = a[n-1]
		}
		if m != ScalarB {
			_ = b[n-1]
		}
		code(&out[0], &a[0], &b[0], n)
	}
}

func unaryOf(f UnaryFunction) func(out, x []float32) {
	if !cpu.FMA.Available() {
		return nil
	}
	code := [numUnary]func(out, x *float32, n int){
		Relu: reluRow, Abs: absRow, Negative: negativeRow, Sqrt: sqrtRow, Exp: expRow, Sigmoid: sigmoidRow, Tanh: tanhRow,
	}[f]
	if f == Exp && cpu.AVX512.Available() {
		// The sum is no cost beside the exponentials.
		code = func(out, x *float32, n int) { expSumRow512(out, x, 0, n) }
	}
	return func(out, x []float32) {
		n := len(out)
		if n == 0 {
			return
		}
		_ = x[n-1] // the assembly checks nothing
		code(&out[0], &x[0], n)
	}
}

// vectors says whether the functions of rows.go have vector code.
func vectors() bool { return cpu.FMA.Available() }

func maxOf(x *float32, n int) float32 {
	if cpu.AVX512.Available() {
		return maxRow512(x, n)
	}
	return maxRow(x, n)
}

func sumOf(x *float32, n int) float32 {
	if cpu.AVX512.Available() {
		return sumRow512(x, n)
	}
	return sumRow(x, n)
}

func squaresOf(x *float32, m float32, n int) float32 {
	if cpu.AVX512.Available() {
		return squaresRow512(x, m, n)
	}
	return squaresRow(x, m, n)
}

func expSumOf(out, x *float32, m float32, n int) float32 {
	if cpu.AVX512.Available() {
		return expSumRow512(out, x, m, n)
	}
	return expSumRow(out, x, m, n)
}

// shortRow is the number of lanes of AVX-512.
const shortRow = 16

// softmaxShort computes all rows if it has code for their length.
func softmaxShort(out, x []float32, n int) bool {
	if n > shortRow || !cpu.AVX512.Available() {
		return false
	}
	softmaxRows512(&out[0], &x[0], n, len(x)/n)
	return true
}

func affineOf(out, x *float32, sub, mul, add float32, n int) {
	if cpu.AVX512.Available() {
		affineRow512(out, x, sub, mul, add, n)
		return
	}
	affineRow(out, x, sub, mul, add, n)
}
