//go:build !noasm

package convert

import "github.com/vinoir/vinoir/internal/cpu"

// lanes divides the number of elements that the assembly converts. It is the same as in
// _neon/gen.go.
const lanes = 16

// convertible returns how many of n elements the assembly converts.
func convertible(n int) int {
	if !cpu.NEON.Available() {
		return 0
	}
	return n &^ (lanes - 1)
}

// convertibleLong is like convertible, for the conversions between i64 and f32: the processor has
// instructions for single numbers, but none for vectors that round once.
func convertibleLong(int) int { return 0 }

func rowI64ToF32AVX512(*float32, *int64, int) { panic("BUG: no assembly") }

func rowF32ToI64AVX512(*int64, *float32, int) { panic("BUG: no assembly") }
