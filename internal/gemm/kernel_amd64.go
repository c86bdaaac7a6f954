//go:build amd64 && !noasm

package gemm

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run . -out ../kernel_amd64.s -stubs ../kernel_stubs_amd64.go -pkg gemm"

// The panels of the assembly: rows and columns as in _asm/gen.go, and a depth at
// which a panel of b and one of a lie in the first-level cache.
func newFloat32[T Number]() *Kernel[T] {
	switch {
	case cpu.AVX512.Available():
		return &Kernel[T]{MR: 12, NR: 32, KC: 192, isa: avx512}
	case cpu.FMA.Available():
		return &Kernel[T]{MR: 6, NR: 16, KC: 256, isa: avx2}
	}
	return newPortable[T]()
}

// tile multiplies a panel of a by one of b into a tile of c.
func (k *Kernel[T]) tile(depth int, a, b, c []T, ldc int, add bool) {
	if k.isa == portable {
		tilePortable(depth, a, b, c, ldc, add)
		return
	}
	// The assembly checks nothing.
	_, _, _ = a[k.MR*depth-1], b[k.NR*depth-1], c[(k.MR-1)*ldc+k.NR-1]
	pa, pb := (*float32)(unsafe.Pointer(&a[0])), (*float32)(unsafe.Pointer(&b[0]))
	pc := (*float32)(unsafe.Pointer(&c[0]))
	if k.isa == avx512 {
		tileAVX512(depth, pa, pb, pc, ldc, add)
	} else {
		tileAVX2(depth, pa, pb, pc, ldc, add)
	}
}

// rowFloat32 is Row for float32; false where the machine has no code for it.
func rowFloat32(c, a []float32, b Matrix[float32], lo, hi int) bool {
	if !cpu.FMA.Available() {
		return false
	}
	if b.ColStride != 1 {
		for j := lo; j < hi; j++ {
			line := b.Data[j*b.ColStride:][:len(a)]
			c[j] = dotAVX2(&a[0], &line[0], len(a))
		}
		return true
	}
	out := c[lo:hi]
	clear(out)
	for p := 0; p < len(a); {
		// The assembly checks nothing.
		rows := b.Data[lo+p*b.RowStride:]
		if len(a)-p >= 4 {
			_ = rows[3*b.RowStride+len(out)-1]
			addRows4(&out[0], &a[p], &rows[0], b.RowStride, len(out))
			p += 4
			continue
		}
		_ = rows[len(out)-1]
		addRows1(&out[0], &a[p], &rows[0], b.RowStride, len(out))
		p++
	}
	return true
}
