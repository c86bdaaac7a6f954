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
