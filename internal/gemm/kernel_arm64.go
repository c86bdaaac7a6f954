//go:build arm64 && !noasm

package gemm

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

// newFloat32 returns the fastest kernel for T, which is float32.
func newFloat32[T Number]() *Kernel[T] {
	if cpu.NEON.Available() {
		return &Kernel[T]{Tiling{MR: 8, NR: 12, KC: 384, isa: neon}}
	}
	return newPortable[T]()
}

// multiplyTile multiplies a panel of a by a panel of b into a tile of c, and adds what c held if add
// is true.
func (k *Kernel[T]) multiplyTile(depth int, a, b, c []T, ldc int, add bool) {
	if k.isa == portable {
		tilePortable(depth, a, b, c, ldc, add)
		return
	}
	// The assembly does not check bounds.
	_, _, _ = a[k.MR*depth-1], b[k.NR*depth-1], c[(k.MR-1)*ldc+k.NR-1]
	tileNEON(depth, (*float32)(unsafe.Pointer(&a[0])), (*float32)(unsafe.Pointer(&b[0])), (*float32)(unsafe.Pointer(&c[0])), ldc, add)
}

// tileNEON multiplies a panel of a with 8 rows by a panel of b with 12 columns:
//
//	c[i*ldc + j] = sum over p of a[p*8 + i]*b[p*12 + j]
//
// If add is true, it adds what c held. depth must be at least 1.
//
//go:noescape
func tileNEON(depth int, a, b, c *float32, ldc int, add bool)
