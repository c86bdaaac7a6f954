//go:build amd64 && !noasm

package pack

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run . -out ../pack_amd64.s -stubs ../stubs_amd64.go -pkg pack && cd .. && go run ../../vex pack_amd64.s"

// hasVectorPacking reports whether there is assembly that copies elements of type E.
func hasVectorPacking[E Element]() bool { return unsafe.Sizeof(*new(E)) == 4 && cpu.FMA.Available() }

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
	case 6:
		copyRows6(to, from, step, depth)
	case 12:
		copyRows12(to, from, step, depth)
	case 16:
		copyRows16(to, from, step, depth)
	case 32:
		copyRows32(to, from, step, depth)
	default:
		return false
	}
	return true
}

// transposePositions is the number of positions that are transposed for all lines before the next
// positions. The part of the panel that they fill stays in the first-level cache.
const transposePositions = 64

// transposeVectors is transpose for an even number of lines and a multiple of eight positions. It
// returns these numbers, which are 0 if there is no assembly for E.
func transposeVectors[E Element](out, src []E, line, width, count, depth int) (lines, positions int) {
	if !hasVectorPacking[E]() || depth < 8 || count < 2 {
		return 0, 0
	}
	lines, positions = count&^1, depth&^7
	// The assembly does not check bounds.
	_, _ = out[(positions-1)*width+lines-1], src[(lines-1)*line+positions-1]
	to, from := (*float32)(unsafe.Pointer(&out[0])), (*float32)(unsafe.Pointer(&src[0]))
	at := func(base *float32, i int) *float32 { return (*float32)(unsafe.Add(unsafe.Pointer(base), 4*i)) }
	for p := 0; p < positions; p += transposePositions {
		n := min(transposePositions, positions-p)
		l := 0
		for ; l+4 <= lines; l += 4 {
			transpose4(at(to, p*width+l), at(from, l*line+p), line, width, n)
		}
		if l < lines {
			transpose2(at(to, p*width+l), at(from, l*line+p), line, width, n)
		}
	}
	return lines, positions
}
