//go:build !noasm

package half

import "github.com/vinoir/vinoir/internal/cpu"

//go:generate sh -c "cd _asm && go run . -out ../slices_amd64.s -stubs ../slices_stubs_amd64.go -pkg half"

// lanes is what the assembly's number of elements is a multiple of.
const lanes = 8

// convertible returns how many of n elements the assembly converts. It needs AVX2
// and F16C, which came before FMA: every processor with both has it.
func convertible(n int) int {
	if !cpu.FMA.Available() {
		return 0
	}
	return n &^ (lanes - 1)
}
