//go:build !noasm

package gemm

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

// newFloat32 returns the fastest kernel for T, which is float32. _neon/gen.go has the same numbers of rows and columns.
func newFloat32[T Number]() *Kernel[T] {
	if cpu.NEON.Available() {
		return &Kernel[T]{Tiling{MR: 8, NR: 12, KC: 384, isa: neon}}
	}
	return newPortable[T]()
}

// multiplyTile multiplies a panel of a by a panel of b into a tile of c. It is called only for the
// portable kernel; multiplyTiles calls the assembly. It is not inlined, as it has many callers.
//
//go:noinline
func (k *Kernel[T]) multiplyTile(depth int, a, b, c []T, ldc int, add bool) {
	TilePortable(depth, a, b, c, ldc, add)
}

// dotsFloat32 is dots for float32 by assembly. It returns false if the processor does not support it.
func dotsFloat32(c, a []float32, b Matrix[float32], lo, hi int) bool {
	if !cpu.NEON.Available() {
		return false
	}
	for lo < hi {
		// The assembly does not check bounds.
		rows := b.Data[lo*b.ColStride:]
		if hi-lo >= 4 {
			_, _ = rows[:3*b.ColStride+len(a)], c[lo+3]
			dots4NEON(&c[lo], &a[0], &rows[0], b.ColStride, len(a))
			lo += 4
			continue
		}
		_ = rows[:len(a)]
		dots1NEON(&c[lo], &a[0], &rows[0], b.ColStride, len(a))
		lo++
	}
	return true
}

// addRowsFloat32 is addRows for float32 by assembly. It returns false if the processor does not support it.
func addRowsFloat32(out, a, b []float32, stride int) bool {
	if !cpu.NEON.Available() {
		return false
	}
	for p := 0; p < len(a); {
		// The assembly does not check bounds.
		rows := b[p*stride:]
		if len(a)-p >= 4 {
			_ = rows[3*stride+len(out)-1]
			addRows4NEON(&out[0], &a[p], &rows[0], stride, len(out))
			p += 4
			continue
		}
		_ = rows[len(out)-1]
		addRows1NEON(&out[0], &a[p], &rows[0], stride, len(out))
		p++
	}
	return true
}

// hasVectorPacking reports whether there is assembly that copies elements of type T.
func hasVectorPacking[T Number]() bool { return unsafe.Sizeof(*new(T)) == 4 && cpu.NEON.Available() }

// copyVectors sets out[p*width + l] = src[p*step + l] for l below width and p below depth. It returns
// false, and does nothing, if the assembly does not support the copy.
func copyVectors[T Number](out, src []T, step, width, depth int) bool {
	if !hasVectorPacking[T]() || depth == 0 {
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
// returns these numbers, which are 0 if there is no assembly for T.
func transposeVectors[T Number](out, src []T, line, width, count, depth int) (lines, positions int) {
	if !hasVectorPacking[T]() || depth < 4 || count < 4 {
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
