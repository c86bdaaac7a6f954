//go:build !noasm

package half

import "github.com/vinoir/vinoir/internal/cpu"

//go:generate sh -c "cd _asm && go run . -out ../slices_amd64.s -stubs ../slices_stubs_amd64.go -pkg half"

// lanes is the number of elements of a vector. It is the same as in _asm/gen.go.
const lanes = 8

// vectorPrefix returns how many of n elements the assembly converts, from the first on. The
// assembly needs AVX2 and F16C. The check of FMA implies F16C: every processor with AVX2 and
// FMA has it.
func vectorPrefix(n int) int {
	if !cpu.FMA.Available() {
		return 0
	}
	return n &^ (lanes - 1)
}
