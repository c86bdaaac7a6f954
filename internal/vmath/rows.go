package vmath

import "math"

// chunk is the number of elements that the vector code adds up in float32, with a sum for
// each lane. The sums of chunks are added up in float64.
const chunk = 1 << 14

// Max returns the greatest element of x, which must not be empty. If an element is NaN, the
// result is any element of x.
func Max(x []float32) float32 {
	if hasVectors() {
		return maxOf(&x[0], len(x))
	}
	m := x[0]
	for _, v := range x {
		if v > m {
			m = v
		}
	}
	return m
}

// Sum returns the sum of the elements of x. Partial sums may be accumulated in float32.
func Sum(x []float32) float64 {
	sum := 0.0
	if hasVectors() {
		for lo := 0; lo < len(x); lo += chunk {
			sum += float64(sumOf(&x[lo], min(chunk, len(x)-lo)))
		}
		return sum
	}
	for _, v := range x {
		sum += float64(v)
	}
	return sum
}

// Squares returns the sum of (x[i]-m)*(x[i]-m) over the elements of x. Partial sums may be
// accumulated in float32.
func Squares(x []float32, m float32) float64 {
	sum := 0.0
	if hasVectors() {
		for lo := 0; lo < len(x); lo += chunk {
			sum += float64(squaresOf(&x[lo], m, min(chunk, len(x)-lo)))
		}
		return sum
	}
	for _, v := range x {
		sum += float64((v - m) * (v - m))
	}
	return sum
}

// ExpSum sets out[i] to exp(x[i]-m), within 3 ULP, for each element of x, and returns the
// sum of these exponentials. out must be at least as long as x, and may be x.
func ExpSum(out, x []float32, m float32) float64 {
	out = out[:len(x)]
	sum := 0.0
	if hasVectors() {
		for lo := 0; lo < len(x); lo += chunk {
			sum += float64(expSumOf(&out[lo], &x[lo], m, min(chunk, len(x)-lo)))
		}
		return sum
	}
	for i, v := range x {
		e := math.Exp(float64(v - m))
		out[i] = float32(e)
		sum += e
	}
	return sum
}

// Softmax sets each row of n elements of out to
//
//	out[i] = exp(x[i]-max(x)) / sum(exp(x-max(x)))
//
// for the same row x. len(x) must be a multiple of n, which must not be 0. out must be at
// least as long as x, and may be x.
func Softmax(out, x []float32, n int) {
	out = out[:len(x)]
	if len(x) == 0 || softmaxShortRows(out, x, n) {
		return
	}
	for lo := 0; lo < len(x); lo += n {
		row, to := x[lo:lo+n], out[lo:lo+n]
		Affine(to, to, 0, float32(1/ExpSum(to, row, Max(row))), 0)
	}
}

// Affine sets out[i] to (x[i]-sub)*mul + add for each element of x. The product may or may
// not be rounded before the addition. out must be at least as long as x, and may be x.
func Affine(out, x []float32, sub, mul, add float32) {
	out = out[:len(x)]
	if len(x) == 0 {
		return
	}
	if hasVectors() {
		affineOf(&out[0], &x[0], sub, mul, add, len(x))
		return
	}
	for i, v := range x {
		out[i] = (v-sub)*mul + add
	}
}
