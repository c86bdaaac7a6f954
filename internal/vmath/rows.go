package vmath

import "math"

// chunk is the number of elements that are added up in float32, which the vector
// code does in 32 sums; sums of chunks are added up in float64.
const chunk = 1 << 14

// Max returns the greatest element of x, which has one. If some are NaN it returns
// any of them or of the elements.
func Max(x []float32) float32 {
	if vectors() {
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

// Sum returns the sum of the elements of x.
func Sum(x []float32) float64 {
	sum := 0.0
	if vectors() {
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

// Squares returns the sum of (x[i]-m)*(x[i]-m).
func Squares(x []float32, m float32) float64 {
	sum := 0.0
	if vectors() {
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

// ExpSum sets out[i] to exp(x[i]-m), within three units in the last place, for every
// element of x, and returns the sum of them. out has as many elements as x, and may
// be x.
func ExpSum(out, x []float32, m float32) float64 {
	out = out[:len(x)]
	sum := 0.0
	if vectors() {
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
// of the same row of x, which has a whole number of them and as many elements as out.
// n is not 0; out may be x.
func Softmax(out, x []float32, n int) {
	out = out[:len(x)]
	if len(x) == 0 || softmaxShort(out, x, n) {
		return
	}
	for lo := 0; lo < len(x); lo += n {
		row, to := x[lo:lo+n], out[lo:lo+n]
		Affine(to, to, 0, float32(1/ExpSum(to, row, Max(row))), 0)
	}
}

// Affine sets out[i] to (x[i]-sub)*mul + add for every element of x, where the
// product may or may not be rounded before the sum. out has as many elements as x,
// and may be x.
func Affine(out, x []float32, sub, mul, add float32) {
	out = out[:len(x)]
	if len(x) == 0 {
		return
	}
	if vectors() {
		affineOf(&out[0], &x[0], sub, mul, add, len(x))
		return
	}
	for i, v := range x {
		out[i] = (v-sub)*mul + add
	}
}
