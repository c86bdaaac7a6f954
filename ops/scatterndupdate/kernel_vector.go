package scatterndupdate

import "github.com/vinoir/vinoir/internal/vmath"

// vectorElements is the least number of elements of a row for which vector code is faster.
const vectorElements = 16

// single returns the reduction for rows of n float32.
func single(red reduction, n int) combine[float32] {
	if f := vectorCode(red); f != nil && n >= vectorElements {
		return func(dst, src []float32, n int, at []int64, first, last int) {
			for j, i := range at {
				if uint64(i-int64(first)) < uint64(last-first) {
					row := dst[int(i)*n:][:n]
					f(row, row, src[j*n:][:n])
				}
			}
		}
	}
	return arithmetic[float32](red)
}

// vectorCode returns the vector code for a row, or nil if there is none. The vector code of
// minimum and maximum does not propagate NaN, and checking for NaN first costs more than the
// vector code saves.
func vectorCode(red reduction) func(out, a, b []float32) {
	switch red {
	case sum:
		return vmath.Binary(vmath.Add, vmath.Rows)
	case sub:
		return vmath.Binary(vmath.Subtract, vmath.Rows)
	case prod:
		return vmath.Binary(vmath.Multiply, vmath.Rows)
	}
	return nil
}
