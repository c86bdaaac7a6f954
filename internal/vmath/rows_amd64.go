//go:build amd64 && !noasm

package vmath

import "github.com/vinoir/vinoir/internal/cpu"

//go:generate sh -c "cd _asm && go run . -out ../rows_amd64.s -stubs ../stubs_amd64.go -arm64 ../rows_arm64.s -arm64stubs ../stubs_arm64.go -pkg vmath"

// binaryCode holds the kernels of each function and mode, for AVX2 and AVX-512.
type binaryCode [numFunctions][numModes][2]func(out, a, b *float32, n, rows, aStep, bStep int)

// binaryOf is BinaryRows.
func binaryOf(f Function, m Mode) func(out, a, b []float32, n, aStep, bStep int) {
	if !cpu.FMA.Available() {
		return nil
	}
	code := binaryCode{
		Add:               {{addRows, addRows512}, {addScalarA, addScalarA512}, {addScalarB, addScalarB512}},
		Subtract:          {{subtractRows, subtractRows512}, {subtractScalarA, subtractScalarA512}, {subtractScalarB, subtractScalarB512}},
		Multiply:          {{multiplyRows, multiplyRows512}, {multiplyScalarA, multiplyScalarA512}, {multiplyScalarB, multiplyScalarB512}},
		Divide:            {{divideRows, divideRows512}, {divideScalarA, divideScalarA512}, {divideScalarB, divideScalarB512}},
		Maximum:           {{maximumRows, maximumRows512}, {maximumScalarA, maximumScalarA512}, {maximumScalarB, maximumScalarB512}},
		Minimum:           {{minimumRows, minimumRows512}, {minimumScalarA, minimumScalarA512}, {minimumScalarB, minimumScalarB512}},
		SquaredDifference: {{squaredDifferenceRows, squaredDifferenceRows512}, {squaredDifferenceScalarA, squaredDifferenceScalarA512}, {squaredDifferenceScalarB, squaredDifferenceScalarB512}},
		PRelu:             {{preluRows, preluRows512}, {preluScalarA, preluScalarA512}, {preluScalarB, preluScalarB512}},
	}[f][m][isaIndex()]
	return boundBinary(code, m)
}

// unaryCode holds the kernels of each function, for AVX2 and AVX-512.
type unaryCode [numUnary][2]func(out, x *float32, n int, a, b float32)

// unaryOf is UnaryWith.
func unaryOf(f UnaryFunction) func(out, x []float32, a, b float32) {
	if !cpu.FMA.Available() {
		return nil
	}
	code := unaryCode{
		Relu:            {reluRow, reluRow512},
		Abs:             {absRow, absRow512},
		Negative:        {negativeRow, negativeRow512},
		Sqrt:            {sqrtRow, sqrtRow512},
		Sign:            {signRow, signRow512},
		Floor:           {floorRow, floorRow512},
		Ceiling:         {ceilingRow, ceilingRow512},
		RoundHalfToEven: {roundHalfToEvenRow, roundHalfToEvenRow512},
		RoundHalfAway:   {roundHalfAwayRow, roundHalfAwayRow512},
		Clamp:           {clampRow, clampRow512},
		HSigmoid:        {hsigmoidRow, hsigmoidRow512},
		HSwish:          {hswishRow, hswishRow512},
		HardSigmoid:     {hardSigmoidRow, hardSigmoidRow512},
		SoftSign:        {softSignRow, softSignRow512},
		Exp:             {expRow, expRow512},
		Sigmoid:         {sigmoidRow, sigmoidRow512},
		Tanh:            {tanhRow, tanhRow512},
		Erf:             {erfRow, erfRow512},
		GeluErf:         {geluErfRow, geluErfRow512},
		GeluTanh:        {geluTanhRow, geluTanhRow512},
		Swish:           {swishRow, swishRow512},
		Mish:            {mishRow, mishRow512},
		SoftPlus:        {softPlusRow, softPlusRow512},
		Elu:             {eluRow, eluRow512},
		Selu:            {seluRow, seluRow512},
		Cube:            {cubeRow, cubeRow512},
		Log:             {logRow, logRow512},
		Root:            {rootRow, rootRow512},
		InverseRoot:     {inverseRootRow, inverseRootRow512},
	}[f][isaIndex()]
	return boundUnary(code)
}

// isaIndex returns the index of the kernel to use: 1 for AVX-512, 0 for AVX2.
func isaIndex() int {
	if cpu.AVX512.Available() {
		return 1
	}
	return 0
}

// hasVectors reports whether there is vector code for rows.go and checked.go.
func hasVectors() bool { return cpu.FMA.Available() }

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

// lanesAVX512 is the number of lanes of a vector of AVX-512.
const lanesAVX512 = 16

// softmaxShortRows computes Softmax if there is a kernel for rows of n elements. Otherwise
// it returns false. x must not be empty.
func softmaxShortRows(out, x []float32, n int) bool {
	wide := cpu.AVX512.Available()
	switch {
	case !hasVectors() || n > lanesAVX512:
		return false
	case n == 2 && wide:
		softmaxPairs512(&out[0], &x[0], len(x))
	case n == 2:
		softmaxPairs(&out[0], &x[0], len(x))
	case n == 4 && wide:
		softmaxQuads512(&out[0], &x[0], len(x))
	case n == 4:
		softmaxQuads(&out[0], &x[0], len(x))
	case wide:
		softmaxRows512(&out[0], &x[0], n, len(x)/n)
	default:
		return false
	}
	return true
}

func affineOf(out, x *float32, sub, mul, add float32, n int) {
	if cpu.AVX512.Available() {
		affineRow512(out, x, sub, mul, add, n)
		return
	}
	affineRow(out, x, sub, mul, add, n)
}

// runChecked runs the kernel of f. It reports whether all elements of a and b are in range.
// It has a switch instead of a table of functions: arguments of a call through a function
// value would escape to the heap.
func runChecked(f CheckedFunction, out, a, b *float32, n int) bool {
	wide := cpu.AVX512.Available()
	switch {
	case f == Power && wide:
		return powerChecked512(out, a, b, n)
	case f == Power:
		return powerChecked(out, a, b, n)
	case f == Mod && wide:
		return modChecked512(out, a, b, n)
	case f == Mod:
		return modChecked(out, a, b, n)
	case f == FloorMod && wide:
		return floorModChecked512(out, a, b, n)
	case f == FloorMod:
		return floorModChecked(out, a, b, n)
	case f == Sin && wide:
		return sinChecked512(out, a, b, n)
	case f == Sin:
		return sinChecked(out, a, b, n)
	case wide:
		return cosChecked512(out, a, b, n)
	}
	return cosChecked(out, a, b, n)
}
