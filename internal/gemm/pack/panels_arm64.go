//go:build !noasm

package pack

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

// hasVectorPacking reports whether there is assembly that copies elements of type E.
func hasVectorPacking[E Element]() bool { return unsafe.Sizeof(*new(E)) == 4 && cpu.NEON.Available() }

// copyVectors sets out[p*width + l] = src[p*step + l] for l below width and p below depth. It
// returns false, and does nothing, if the assembly does not support the copy.
func copyVectors[E Element](out, src []E, step, width, depth int) bool {
	if !hasVectorPacking[E]() || depth == 0 {
		return false
	}
	// The assembly does not check bounds.
	_, _ = out[width*depth-1], src[(depth-1)*step+width-1]
	to, from := (*float32)(unsafe.Pointer(&out[0])), (*float32)(unsafe.Pointer(&src[0]))
	switch width {
	case 8:
		copyRows8(to, from, step, depth)
	case 12:
		copyRows12(to, from, step, depth)
	case 24:
		copyRows24(to, from, step, depth)
	default:
		return false
	}
	return true
}

// transposeVectors is transpose for a multiple of four lines and of four positions. It
// returns these numbers, which are 0 if there is no assembly for E.
func transposeVectors[E Element](out, src []E, line, width, count, depth int) (lines, positions int) {
	if !hasVectorPacking[E]() || depth < 4 || count < 4 {
		return 0, 0
	}
	lines, positions = count&^3, depth&^3
	// The assembly does not check bounds.
	_, _ = out[(positions-1)*width+lines-1], src[(lines-1)*line+positions-1]
	to, from := unsafe.Pointer(&out[0]), unsafe.Pointer(&src[0])
	for l := 0; l < lines; l += 4 {
		transpose4((*float32)(unsafe.Add(to, 4*l)), (*float32)(unsafe.Add(from, 4*l*line)), line, width, positions)
	}
	return lines, positions
}
