//go:build !noasm

package reduction

import "github.com/vinoir/vinoir/internal/cpu"

// vectorRows is reduce in vector code. It returns false if there is no vector code for f and
// stride.
func vectorRows(f Function, out, in, scale []float32, r Rows, stride int) bool {
	if !cpu.NEON.Available() {
		return false
	}
	code := rowsNEON[f]
	if stride == 2 {
		switch f {
		case Sum:
			code = sumRowStride2NEON
		case Max:
			code = maxRowStride2NEON
		default:
			return false
		}
	}
	for o := range r.Outputs {
		row := r.row(o)
		var s *float32
		if scale != nil {
			s = &scale[row.ScaleOffset]
		}
		code(&out[o*r.OutPitch], &in[row.Offset], s, r.N, row.Count, r.Step)
	}
	return true
}

// rowsNEON holds the kernels of Reduce by function.
var rowsNEON = [numFunctions]func(out, in, scale *float32, n, count, step int){
	Sum: sumRowNEON, Max: maxRowNEON, Min: minRowNEON, Product: productRowNEON, SumAbs: sumAbsRowNEON, SumSquares: sumSquaresRowNEON,
}

// segmentsNEON holds the kernels of ReduceSegments by function.
var segmentsNEON = [numFunctions]func(out, in *float32, n, segments, step int){
	Sum: sumSegmentsNEON, Max: maxSegmentsNEON, Min: minSegmentsNEON, SumAbs: sumAbsSegmentsNEON, SumSquares: sumSquaresSegmentsNEON,
}

// vectorSegments is ReduceSegments in vector code. It returns false if there is none for f.
func vectorSegments(f Function, out, in []float32, n, step int) bool {
	code := segmentsNEON[f]
	if code == nil || !cpu.NEON.Available() {
		return false
	}
	code(&out[0], &in[0], n, len(out), step)
	return true
}

// hasNormalize returns false: callers use the sums of package vmath.
func hasNormalize() bool { return false }

func vectorNormalize([]float32, []float32, int, float32, float32) {
	panic("BUG: Normalize has no code for arm64")
}

func vectorDivideByNorms([]float32, []float32, int, float32, float32) {
	panic("BUG: DivideByNorms has no code for arm64")
}

// vectorWeightedSum is WeightedSum in vector code. It returns false if there is none.
func vectorWeightedSum(out, in []float32, offsets []int, weights []float32) bool {
	if !cpu.NEON.Available() {
		return false
	}
	weightedSumNEON(&out[0], &in[0], &offsets[0], &weights[0], len(offsets), len(out))
	return true
}

// vectorLanes returns 0: there is no vector code for vectorResample.
func vectorLanes() int { return 0 }

func vectorResample(_, _ []float32, _ []int32, _ []float32, _, _, _, _, _, _, _ int) {
	panic("BUG: Resampler has no code for arm64")
}
