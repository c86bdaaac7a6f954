// Package gemm multiplies matrices:
//
//	c[i,j] = sum over p of a[i,p]*b[p,j]
//
// The depth p is divided into blocks. For each block, a is packed into panels of MR rows and b into
// panels of NR columns. A micro-kernel multiplies a panel of a by a panel of b in registers; the
// result is a tile of c. Packing and multiplying are separate calls that work on ranges of panels,
// so a caller can run ranges in parallel and keep the panels of weights. An Epilogue is applied to
// each tile of c as soon as it is complete.
//
// The micro-kernels for float32 are assembly if the processor supports it. All other types have a
// portable micro-kernel. With the build tag noasm, float32 has the portable one too.
package gemm

import (
	"fmt"
	"unsafe"
)

// Number is the constraint of element types. Integers wrap on overflow.
type Number interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// Kernel selects a micro-kernel and holds the sizes of its panels and blocks. A caller can set KC of
// its own copy of a Kernel before it packs.
type Kernel[T Number] struct {
	MR, NR int // rows of a panel of a, columns of a panel of b: the size of a tile of c
	KC     int // depth of a block; the last block can have less
	isa    isa
}

// isa is the instruction set of a micro-kernel.
type isa uint8

const (
	portable isa = iota
	avx2         // float32
	avx512       // float32
	neon         // float32
)

// String returns the instruction set and the size of a tile, such as "avx512 12x32".
func (k *Kernel[T]) String() string {
	return fmt.Sprintf("%v %dx%d", k.isa, k.MR, k.NR)
}

// String returns the name of the instruction set.
func (i isa) String() string { return [...]string{"portable", "avx2", "avx512", "neon"}[i] }

// New returns the fastest kernel for T on this machine.
func New[T Number]() *Kernel[T] {
	if isFloat32[T]() {
		return newFloat32[T]()
	}
	return newPortable[T]()
}

// newPortable returns the kernel with the portable micro-kernel.
func newPortable[T Number]() *Kernel[T] {
	return &Kernel[T]{MR: portableMR, NR: portableNR, KC: 256}
}

// isFloat32 reports whether T is float32.
func isFloat32[T Number]() bool { return unsafe.Sizeof(*new(T)) == 4 && T(1)/2 != 0 }

// Matrix is a view of a matrix. The element in row i and column j is Data[i*RowStride + j*ColStride].
type Matrix[T Number] struct {
	Data                 []T
	RowStride, ColStride int
}

// Blocks returns the number of blocks that the given depth is divided into.
func (k *Kernel[T]) Blocks(depth int) int { return (depth + k.KC - 1) / k.KC }

// Depth returns the depth of block i if the given depth is divided into blocks.
func (k *Kernel[T]) Depth(i, depth int) int { return min(k.KC, depth-i*k.KC) }

// PanelsA returns the number of panels that m rows of a are packed into.
func (k *Kernel[T]) PanelsA(m int) int { return (m + k.MR - 1) / k.MR }

// PanelsB returns the number of panels that n columns of b are packed into.
func (k *Kernel[T]) PanelsB(n int) int { return (n + k.NR - 1) / k.NR }
