//go:build amd64 && !noasm

package gemm

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run . -out ../kernel_amd64.s -stubs ../kernel_stubs_amd64.go -pick ../kernel_pick_amd64.go -pkg gemm && cd .. && go run ../vex kernel_amd64.s"

// newFloat32 returns the fastest kernel for T, which is float32. _asm/gen.go has the same numbers of
// rows and columns. RATIONALE.md explains the sizes.
func newFloat32[T Number]() *Kernel[T] {
	switch {
	case cpu.AVX512.Available():
		return &Kernel[T]{Tiling{MR: avx512MR, NR: avx512NR, KC: 384, isa: avx512}}
	case cpu.FMA.Available():
		return &Kernel[T]{Tiling{MR: 6, NR: 16, KC: 384, isa: avx2}}
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

// run runs the micro-kernel for a number of rows and of groups of eight columns, or of sixteen for pairs.
func (i isa) run(t *tile, rows, groups int) {
	p := (*byte)(unsafe.Pointer(t))
	switch i {
	case avx512:
		runAVX512(p, rows, groups)
	case bf16:
		runBF16(p, rows, groups)
	case words:
		runWords(p, rows, groups)
	default:
		runAVX2(p, rows, groups)
	}
}

// dotsFloat32 is dots for float32 by assembly. It returns false if the processor does not support it.
func dotsFloat32(c, a []float32, b Matrix[float32], lo, hi int) bool {
	if !cpu.FMA.Available() {
		return false
	}
	if lo < hi && cpu.AVX512.Available() {
		rows := b.Data[lo*b.ColStride:]
		_ = rows[:(hi-1-lo)*b.ColStride+len(a)]
		dotsAVX512(&c[lo:hi][0], &a[0], &rows[0], b.ColStride, len(a), hi-lo)
		return true
	}
	for j := lo; j < hi; j++ {
		line := b.Data[j*b.ColStride:][:len(a)]
		c[j] = dotAVX2(&a[0], &line[0], len(a))
	}
	return true
}

// narrow is the number of columns up to which addRows keeps all sums in registers. It then reads the rows one after the other.
const narrow = 128

// addRowsFloat32 is addRows for float32 by assembly. It returns false if the processor does not support it.
func addRowsFloat32(out, a, b []float32, stride int) bool {
	if !cpu.FMA.Available() {
		return false
	}
	// The assembly does not check bounds.
	if n := len(out); n > 0 && n <= narrow && len(a) > 0 && cpu.AVX512.Available() {
		_ = b[(len(a)-1)*stride+n-1]
		addNarrowAVX512(&out[0], &a[0], &b[0], stride, n, len(a))
		return true
	}
	for p := 0; p < len(a); {
		rows := b[p*stride:]
		if len(a)-p >= 4 {
			_ = rows[3*stride+len(out)-1]
			addRows4(&out[0], &a[p], &rows[0], stride, len(out))
			p += 4
			continue
		}
		_ = rows[len(out)-1]
		addRows1(&out[0], &a[p], &rows[0], stride, len(out))
		p++
	}
	return true
}
