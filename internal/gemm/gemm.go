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
// portable micro-kernel. With the build tag noasm, float32 has the portable one too. Package tile
// has the micro-kernels, package pack what they multiply. Products that need no packing are here:
// Row, MultiplySmall and Bytes.
package gemm

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/gemm/pack"
	"github.com/vinoir/vinoir/internal/gemm/tile"
)

//go:generate go run ./_neon -out direct_arm64.s -stubs stubs_arm64.go -pkg gemm

// The types that the packages below have in common with this one.
type (
	// Number is the constraint of element types. Integers wrap on overflow.
	Number = pack.Number
	// Tiling selects a micro-kernel and holds the sizes of its panels and blocks.
	Tiling = tile.Tiling
	// Epilogue is what is done to the elements of c at the end: see tile.Epilogue.
	Epilogue[T Number] = tile.Epilogue[T]
	// Quads is what MultiplyQuads does besides multiplying.
	Quads = tile.Quads
	// Levels are the bytes for the results of rows: see tile.Levels.
	Levels = tile.Levels
)

// Kernel is a micro-kernel for elements of type T. A caller can set KC of its own copy of a Kernel
// before it packs.
type Kernel[T Number] struct{ Tiling }

// New returns the fastest kernel for T on this machine.
func New[T Number]() *Kernel[T] {
	if isFloat32[T]() {
		return &Kernel[T]{tile.NewFloat32()}
	}
	return &Kernel[T]{tile.NewPortable()}
}

// isFloat32 reports whether T is float32.
func isFloat32[T Number]() bool { return unsafe.Sizeof(*new(T)) == 4 && T(1)/2 != 0 }

// NewPairs returns a kernel whose elements are pairs: two bf16, or two f16, in the place of a
// float32, the first one in the lowest bits. The depth counts pairs. The panels are packed and
// multiplied like those of float32; c, the biases and the limits of the epilogue are float32:
//
//	c[i,j] = sum over p of first(a[i,p])*first(b[p,j]) + second(a[i,p])*second(b[p,j])
//
// It is slower than that for float32 where HasPairs returns false. Where it returns true, subnormal
// sums, and subnormal elements of bf16, count as 0, as the processor has them. On arm64, sums of a
// few dozen products of f16 are f16, see AddsF32.
func NewPairs(f16 bool) *Kernel[float32] { return &Kernel[float32]{tile.NewPairs(f16)} }

// NewQuads returns a kernel whose elements are quads: four bytes in the place of a float32, the
// first one in the lowest bits. Those of a are i8, those of b u8, or, where QuadZero is 128, i8:
// bytes less 128. Where QuadSize is 2, a quad holds two i16 instead. The panels are packed and
// divided into blocks like those of float32, but they must be multiplied by MultiplyQuads. Packing
// only copies quads.
func NewQuads() *Kernel[float32] { return &Kernel[float32]{tile.NewQuads()} }

// NewWords returns a kernel whose elements are words: two i16 in the place of a float32, the first
// one in the lowest bits. The depth counts words. The panels are packed and multiplied like those
// of float32, without an Epilogue; c holds the sums, which are int32 in the place of float32 and
// wrap:
//
//	c[i,j] = sum over p of first(a[i,p])*first(b[p,j]) + second(a[i,p])*second(b[p,j])
//
// It must be used only where HasWords returns true.
func NewWords() *Kernel[float32] { return &Kernel[float32]{tile.NewWords()} }

// Matrix is a view of a matrix. The element in row i and column j is Data[i*RowStride +
// j*ColStride].
type Matrix[T Number] struct {
	Data                 []T
	RowStride, ColStride int
}
