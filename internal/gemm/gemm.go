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

//go:generate go run ./_neon -out kernel_arm64.s -stubs kernel_stubs_arm64.go -pkg gemm

// Number is the constraint of element types. Integers wrap on overflow.
type Number interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// Kernel is a micro-kernel for elements of type T. A caller can set KC of its own copy of a Kernel before
// it packs.
type Kernel[T Number] struct{ Tiling }

// Tiling selects a micro-kernel and holds the sizes of its panels and blocks.
type Tiling struct {
	MR, NR int // rows of a panel of a, columns of a panel of b: the size of a tile of c
	KC     int // depth of a block; the last block can have less
	isa    isa
}

// isa is the instruction set of a micro-kernel.
type isa uint8

const (
	portable       isa = iota
	portablePairs      // pairs of bf16 in the place of float32
	portableF16        // pairs of f16 in the place of float32
	avx2               // float32
	avx512             // float32
	neon               // float32
	bf16               // pairs of bf16 in the place of float32
	words              // pairs of i16 in the place of float32, with AVX2
	avxVNNI            // quads of bytes in the place of float32
	amxQuads           // quads of bytes in the place of float32
	amxPairs           // pairs of bf16 in the place of float32
	amxF16             // pairs of f16 in the place of float32
	sdot               // quads of i8 in the place of float32, with NEON
	portableHalves     // pairs of f16 in the place of float32, with sums of f16
	neonHalves         // the same, with NEON
)

// String returns the instruction set and the size of a tile, such as "avx512 12x32". It is not inlined, as
// it has many callers.
//
//go:noinline
func (t *Tiling) String() string {
	return fmt.Sprintf("%v %dx%d", t.isa, t.MR, t.NR)
}

// String returns the name of the instruction set.
func (i isa) String() string {
	return [...]string{"portable", "portable_bf16", "portable_f16", "avx2", "avx512", "neon", "avx512_bf16", "avx2_i16", "avx_vnni", "amx_int8", "amx_bf16", "amx_fp16", "neon_i8", "portable_f16_sums", "neon_f16"}[i]
}

// New returns the fastest kernel for T on this machine.
func New[T Number]() *Kernel[T] {
	if isFloat32[T]() {
		return newFloat32[T]()
	}
	return newPortable[T]()
}

// newPortable returns the kernel with the portable micro-kernel.
func newPortable[T Number]() *Kernel[T] {
	return &Kernel[T]{Tiling{MR: portableMR, NR: portableNR, KC: 256}}
}

// isFloat32 reports whether T is float32.
func isFloat32[T Number]() bool { return unsafe.Sizeof(*new(T)) == 4 && T(1)/2 != 0 }

// Matrix is a view of a matrix. The element in row i and column j is Data[i*RowStride + j*ColStride].
type Matrix[T Number] struct {
	Data                 []T
	RowStride, ColStride int
}

// Blocks returns the number of blocks that the given depth is divided into. Like the functions below, it is not inlined: its
// division takes longer than a call, and it has hundreds of callers.
//
//go:noinline
func (t *Tiling) Blocks(depth int) int { return (depth + t.KC - 1) / t.KC }

// Depth returns the depth of block i if the given depth is divided into blocks.
//
//go:noinline
func (t *Tiling) Depth(i, depth int) int { return min(t.KC, depth-i*t.KC) }

// PanelsA returns the number of panels that m rows of a are packed into.
//
//go:noinline
func (t *Tiling) PanelsA(m int) int { return (m + t.MR - 1) / t.MR }

// PanelsB returns the number of panels that n columns of b are packed into.
//
//go:noinline
func (t *Tiling) PanelsB(n int) int { return (n + t.NR - 1) / t.NR }
