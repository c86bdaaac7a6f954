// Package gemm multiplies matrices:
//
//	c[i,j] = sum over p of a[i,p]*b[p,j]
//
// in blocks of the depth p. Of each block, a is packed into panels of MR rows and b
// into panels of NR columns, which a micro-kernel multiplies in registers, tile by
// tile of c. Packing and multiplying are separate and work on ranges of panels, so
// that a caller can run ranges in parallel, and keep panels of weights. An Epilogue is
// applied to the elements of c where they are made.
//
// The micro-kernels of float32 are assembly where the machine has them; every
// other type has the portable one. The tag noasm leaves only that.
package gemm

import (
	"fmt"
	"unsafe"
)

// Number lists the types of elements. Integers wrap.
type Number interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// Kernel is the shape of the panels and blocks of one micro-kernel.
type Kernel[T Number] struct {
	MR, NR int // rows of a panel of a, columns of a panel of b: a tile of c
	KC     int // depth of a block, the last but for what is left
	isa    isa
}

// isa names a micro-kernel.
type isa uint8

const (
	portable isa = iota
	avx2         // float32
	avx512       // float32
	neon         // float32
)

// String returns the instruction set and the tile: "avx512 12x32".
func (k *Kernel[T]) String() string {
	return fmt.Sprintf("%v %dx%d", k.isa, k.MR, k.NR)
}

func (i isa) String() string { return [...]string{"portable", "avx2", "avx512", "neon"}[i] }

// New returns the fastest kernel of this machine for T.
func New[T Number]() *Kernel[T] {
	if isFloat32[T]() {
		return newFloat32[T]()
	}
	return newPortable[T]()
}

func newPortable[T Number]() *Kernel[T] {
	return &Kernel[T]{MR: portableMR, NR: portableNR, KC: 256}
}

func isFloat32[T Number]() bool { return unsafe.Sizeof(*new(T)) == 4 && T(1)/2 != 0 }

// Matrix is a view of elements: row i, column j is Data[i*RowStride + j*ColStride].
type Matrix[T Number] struct {
	Data                 []T
	RowStride, ColStride int
}

// Blocks returns the number of blocks of depth k.
func (k *Kernel[T]) Blocks(depth int) int { return (depth + k.KC - 1) / k.KC }

// Depth returns the depth of block i of the given depth.
func (k *Kernel[T]) Depth(i, depth int) int { return min(k.KC, depth-i*k.KC) }

// PanelsA returns the number of panels of m rows.
func (k *Kernel[T]) PanelsA(m int) int { return (m + k.MR - 1) / k.MR }

// PanelsB returns the number of panels of n columns.
func (k *Kernel[T]) PanelsB(n int) int { return (n + k.NR - 1) / k.NR }
