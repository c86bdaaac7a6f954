//go:build amd64 && !noasm

package detection

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run . -out ../vectors_amd64.s -stubs ../stubs_amd64.go -pkg detection"

// instructions is the instruction set of the function that compares a box with 64 others; 0 means
// that there is none.
type instructions uint8

const (
	avx2 instructions = iota + 1
	avx512
)

// pickInstructions returns the fastest instruction set for boxes of type T.
func pickInstructions[T Float]() instructions {
	switch {
	case unsafe.Sizeof(T(0)) != 4:
		return 0
	case cpu.AVX512.Available():
		return avx512
	case cpu.AVX2.Available():
		return avx2
	}
	return 0
}

// overlap is the function overlap. box is a Box[float32].
func (i instructions) overlap(box *float32, sides []float32, stride int, extent, above float32) uint64 {
	_ = sides[4*stride+boxesAtOnce-1] // the assembly does not check bounds
	if i == avx512 {
		return overlapAVX512(box, &sides[0], 4*stride, extent, above)
	}
	return overlapAVX2(box, &sides[0], 4*stride, extent, above)
}

// aboveVectors writes the candidates of the first scores to dst, and returns the number of these
// scores and that of their candidates. first is the Index of the first score.
func aboveVectors(dst []Candidate[float32], scores []float32, first int, threshold float32) (seen, found int) {
	if seen = len(scores) &^ 15; seen == 0 || !cpu.AVX512.Available() {
		return 0, 0
	}
	_ = dst[seen-1] // the assembly does not check bounds
	return seen, aboveAVX512((*byte)(unsafe.Pointer(&dst[0])), &scores[0], seen, int32(first), threshold)
}
