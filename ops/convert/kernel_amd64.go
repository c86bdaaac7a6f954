//go:build !noasm

package convert

import "github.com/vinoir/vinoir/internal/cpu"

//go:generate sh -c "cd _asm && go run . -out ../kernel_amd64.s -stubs ../kernel_stubs_amd64.go -pkg convert"

// lanes divides the number of elements that the assembly converts.
const lanes = 8

// convertible returns how many of n elements the assembly converts.
func convertible(n int) int {
	if !cpu.AVX2.Available() {
		return 0
	}
	return n &^ (lanes - 1)
}

// convertibleLong is like convertible, for the conversions between i64 and f32.
func convertibleLong(n int) int {
	if !cpu.AVX512.Available() {
		return 0
	}
	return n &^ (lanes - 1)
}
