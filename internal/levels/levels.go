// Package levels converts numbers to evenly spaced levels of 8 bits and back.
package levels

import "math"

//go:generate go run ./_neon -out levels_arm64.s -stubs stubs_arm64.go -pkg levels

// Codes sets out to the levels of x: x*scale + shift, rounded to an integer, halves to even, within
// [0, most]. most is at most 255. The level of NaN is 0. out must be as long as x and not overlap
// it.
func Codes(out []uint8, x []float32, scale, shift, most float32) {
	out = out[:len(x)]
	n := vectorCodes(out, x, scale, shift, most)
	for i, v := range x[n:] {
		out[n+i] = code(v, scale, shift, most)
	}
}

// code returns the level of x. The conversion prevents the compiler from fusing operations.
func code(x, scale, shift, most float32) uint8 {
	v := float32(x*scale) + shift
	if !(v > 0) { // NaN too
		return 0
	}
	return uint8(math.RoundToEven(float64(min(v, most))))
}

// Values sets out to the numbers of the levels x: low + x*step. out must be as long as x and not
// overlap it. The conversion prevents the compiler from fusing operations.
func Values(out []float32, x []uint8, low, step float32) {
	out = out[:len(x)]
	n := vectorValues(out, x, low, step)
	for i, level := range x[n:] {
		out[n+i] = low + float32(float32(level)*step)
	}
}
