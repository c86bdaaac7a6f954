//go:build !noasm

package randomuniform

import "github.com/vinoir/vinoir/internal/cpu"

//go:generate sh -c "cd _asm && go run . -out ../units_amd64.s -stubs ../stubs_amd64.go -pkg randomuniform"

// scaleUnits converts the first words of x to numbers of s with assembly, and returns how many.
func scaleUnits(out []float32, x []uint32, s span[float32]) int {
	// The numbers of elements that the assembly converts together.
	const lanes, wideLanes = 16, 32
	out = out[:len(x)]
	if n := len(x) &^ (wideLanes - 1); n > 0 && cpu.AVX512.Available() {
		scaleUnits512(&out[0], &x[0], n, s.width, s.lo)
		return n
	}
	n := len(x) &^ (lanes - 1)
	if n == 0 || !cpu.AVX2.Available() {
		return 0
	}
	scaleUnits2(&out[0], &x[0], n, s.width, s.lo)
	return n
}
