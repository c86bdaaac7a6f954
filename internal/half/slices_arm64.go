//go:build !noasm

package half

import "github.com/vinoir/vinoir/internal/cpu"

// lanes is the number of elements that the assembly converts at a time. It is the same as in
// _neon/gen.go.
const lanes = 8

// vectorPrefix returns how many of n elements the assembly converts, from the first on.
func vectorPrefix(n int) int {
	if !cpu.NEON.Available() {
		return 0
	}
	return n &^ (lanes - 1)
}
