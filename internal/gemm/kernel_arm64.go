//go:build arm64 && !noasm

package gemm

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

func newFloat32[T Number]() *Kernel[T] {
	if cpu.NEON.Available() {
		return &Kernel[T]{MR: 8, NR: 12, KC: 384, isa: neon}
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
	tileNEON(depth, (*float32)(unsafe.Pointer(&a[0])), (*float32)(unsafe.Pointer(&b[0])), (*float32)(unsafe.Pointer(&c[0])), ldc, add)
}

// tileNEON multiplies a panel of a, of 8 rows, by one of b, of 12 columns:
//
//	c[i*ldc + j] = sum over p of a[p*8 + i]*b[p*12 + j]
//
// to which it adds what c held where add is true. depth is 1 or more.
//
//go:noescape
func tileNEON(depth int, a, b, c *float32, ldc int, add bool)
