//go:build amd64 && !noasm

package reduction

import "github.com/vinoir/vinoir/internal/cpu"

//go:generate sh -c "cd _asm && go run . -out ../reduction_amd64.s -stubs ../stubs_amd64.go -pkg reduction"

// vectorRows is reduce in vector code. It returns false if there is no vector code for f
// and stride, or if f is Max or Min and an input element is NaN; out is then unspecified.
func vectorRows(f Function, out, in, scale []float32, r Rows, stride int) bool {
	if !cpu.AVX2.Available() {
		return false
	}
	var s *float32
	if scale != nil {
		s = &scale[0]
	}
	o, i := &out[0], &in[0]
	var t *int // the entries of r.Table, as three ints each
	if r.Table != nil {
		t = &r.Table[:r.Outputs][0].Offset
	}
	wide := cpu.AVX512.Available()
	if stride == 2 {
		switch {
		case f == Sum && wide:
			return sumStride2AVX512(o, i, s, t, r.N, r.Count, r.Step, r.Outputs, r.InPitch, r.OutPitch) == 0
		case f == Sum:
			return sumStride2AVX2(o, i, s, t, r.N, r.Count, r.Step, r.Outputs, r.InPitch, r.OutPitch) == 0
		case f == Max && wide:
			return maxStride2AVX512(o, i, s, t, r.N, r.Count, r.Step, r.Outputs, r.InPitch, r.OutPitch) == 0
		case f == Max:
			return maxStride2AVX2(o, i, s, t, r.N, r.Count, r.Step, r.Outputs, r.InPitch, r.OutPitch) == 0
		}
		return false
	}
	code := rowsAVX2
	if wide {
		code = rowsAVX512
	}
	return code[f](o, i, s, t, r.N, r.Count, r.Step, r.Outputs, r.InPitch, r.OutPitch) == 0
}

// rowsAVX2 and rowsAVX512 hold the kernels of Reduce by function.
var rowsAVX2 = [numFunctions]func(out, in, scale *float32, table *int, n, count, step, outputs, inPitch, outPitch int) int{
	Sum: sumRowsAVX2, Max: maxRowsAVX2, Min: minRowsAVX2, Product: productRowsAVX2, SumAbs: sumAbsRowsAVX2, SumSquares: sumSquaresRowsAVX2,
}

var rowsAVX512 = [numFunctions]func(out, in, scale *float32, table *int, n, count, step, outputs, inPitch, outPitch int) int{
	Sum: sumRowsAVX512, Max: maxRowsAVX512, Min: minRowsAVX512, Product: productRowsAVX512, SumAbs: sumAbsRowsAVX512, SumSquares: sumSquaresRowsAVX512,
}

// segmentsAVX2 and segmentsAVX512 hold the kernels of ReduceSegments by function.
var segmentsAVX2 = [numFunctions]func(out, in *float32, n, segments, step int) int{
	Sum: sumSegmentsAVX2, Max: maxSegmentsAVX2, Min: minSegmentsAVX2, Product: productSegmentsAVX2, SumAbs: sumAbsSegmentsAVX2, SumSquares: sumSquaresSegmentsAVX2,
}

var segmentsAVX512 = [numFunctions]func(out, in *float32, n, segments, step int) int{
	Sum: sumSegmentsAVX512, Max: maxSegmentsAVX512, Min: minSegmentsAVX512, Product: productSegmentsAVX512, SumAbs: sumAbsSegmentsAVX512, SumSquares: sumSquaresSegmentsAVX512,
}

// vectorSegments is ReduceSegments in vector code. It returns false if there is no vector
// code, or if f is Max or Min and an input element is NaN; out is then unspecified.
func vectorSegments(f Function, out, in []float32, n, step int) bool {
	switch {
	case cpu.AVX512.Available():
		return segmentsAVX512[f](&out[0], &in[0], n, len(out), step) == 0
	case cpu.AVX2.Available():
		return segmentsAVX2[f](&out[0], &in[0], n, len(out), step) == 0
	}
	return false
}

// hasNormalize reports whether vectorNormalize and vectorDivideByNorms can be called.
func hasNormalize() bool { return cpu.FMA.Available() }

// vectorNormalize is Normalize for in that is not empty.
func vectorNormalize(out, in []float32, n int, epsInside, epsOutside float32) {
	if cpu.AVX512.Available() {
		normalizeSegmentsAVX512(&out[0], &in[0], n, len(in)/n, epsInside, epsOutside)
	} else {
		normalizeSegmentsAVX2(&out[0], &in[0], n, len(in)/n, epsInside, epsOutside)
	}
}

// vectorDivideByNorms is DivideByNorms for in that is not empty.
func vectorDivideByNorms(out, in []float32, n int, eps, least float32) {
	if cpu.AVX512.Available() {
		divideByNormsAVX512(&out[0], &in[0], n, len(in)/n, eps, least)
	} else {
		divideByNormsAVX2(&out[0], &in[0], n, len(in)/n, eps, least)
	}
}

// vectorWeightedSum is WeightedSum in vector code. It returns false if there is none.
func vectorWeightedSum(out, in []float32, offsets []int, weights []float32) bool {
	if !cpu.FMA.Available() {
		return false
	}
	if cpu.AVX512.Available() {
		weightedSumAVX512(&out[0], &in[0], &offsets[0], &weights[0], len(offsets), len(out))
	} else {
		weightedSumAVX2(&out[0], &in[0], &offsets[0], &weights[0], len(offsets), len(out))
	}
	return true
}

// vectorLanes returns the number of elements of a vector of vectorResample, or 0 if there
// is no vector code.
func vectorLanes() int {
	switch {
	case cpu.AVX512.Available():
		return 16
	case cpu.FMA.Available():
		return 8
	}
	return 0
}

// vectorResample computes one block of columns of rows rows, for vectors of lanes
// elements. See resampleAVX2 for the other parameters.
func vectorResample(out, in []float32, index []int32, weights []float32, taps, rows, valid, width, lanes, inPitch, outPitch int) {
	var w *float32
	if weights != nil {
		w = &weights[0]
	}
	if lanes == 16 {
		resampleAVX512(&out[0], &in[0], &index[0], w, taps, rows, valid, width, inPitch, outPitch)
	} else {
		resampleAVX2(&out[0], &in[0], &index[0], w, taps, rows, valid, width, inPitch, outPitch)
	}
}
