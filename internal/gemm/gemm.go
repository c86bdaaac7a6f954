// Package gemm multiplies matrices:
//
//	c[i,j] = sum over p of a[i,p]*b[p,j]
//
// The depth p is divided into blocks. For each block, a is packed into panels of MR rows and b into
// panels of NR columns. A micro-kernel multiplies a panel of a by a panel of b in registers; the
// result is a tile of c. Packing and multiplying are separate calls that work on ranges of panels,
// so a caller can run ranges in parallel and keep the panels of weights. Steps, such as a bias and
// a clamp, are applied to each tile of c as soon as it is complete.
//
// A Kernel is for one type of elements of a and b: float32, or Pair, Quad or Word, which hold
// several numbers. The micro-kernels are assembly if the processor supports it, and portable ones
// otherwise, or with the build tag noasm. Package tile has the micro-kernels, package pack what
// they multiply. Products that need no packing are here: Row, MultiplySmall and Bytes.
package gemm

import (
	"github.com/vinoir/vinoir/internal/gemm/pack"
	"github.com/vinoir/vinoir/internal/gemm/tile"
)

//go:generate go run ./_neon -out direct_arm64.s -stubs stubs_arm64.go -pkg gemm

// The types that the packages below have in common with this one.
type (
	// Pair holds two bf16 or two f16: see pack.Pair.
	Pair = pack.Pair
	// Quad holds four bytes or two i16: see pack.Quad.
	Quad = pack.Quad
	// Word holds two i16.
	Word = pack.Word
	// Sum is a sum of products of integers.
	Sum = pack.Sum
	// Lane is the memory of any element or result.
	Lane = pack.Lane
	// Tiling selects a micro-kernel and holds the sizes of its panels and blocks.
	Tiling = tile.Tiling
	// Product is the argument of Kernel.Multiply: see tile.Product.
	Product[E, C ~float32] = tile.Product[E, C]
	// FloatProduct is a Product of float32.
	FloatProduct = Product[float32, float32]
	// Integers is what a Product of quads has besides: see tile.Integers.
	Integers = tile.Integers
	// Step is something that is done to the elements of c: see tile.Step.
	Step = tile.Step
)

// The operations of a Step: see tile.Op.
const (
	ScaleRows  = tile.ScaleRows
	AddRows    = tile.AddRows
	AddColumns = tile.AddColumns
	Clamp      = tile.Clamp
	HSwish     = tile.HSwish
	SlopeRows  = tile.SlopeRows
	ToLevels   = tile.ToLevels
)

// Floats are the Operands of kernels for float32.
const Floats = tile.Floats

// MaxSteps is the largest number of steps that a Product can have.
const MaxSteps = tile.MaxSteps

// Kernel is a micro-kernel for elements of type E and results of type C. A caller can set KC of its
// own copy of a Kernel before it packs.
type Kernel[E, C ~float32] struct{ Tiling }

// The kernels that there are.
type (
	// FloatKernel multiplies float32.
	FloatKernel = Kernel[float32, float32]
	// PairKernel multiplies pairs. The depth counts pairs:
	//
	//	c[i,j] = sum over p of first(a[i,p])*first(b[p,j]) + second(a[i,p])*second(b[p,j])
	PairKernel = Kernel[Pair, float32]
	// QuadKernel multiplies quads. Those of a are i8, those of b u8, or, where QuadZero is 128, i8:
	// bytes less 128. The depth counts quads. Packing only copies them.
	QuadKernel = Kernel[Quad, float32]
	// WordKernel multiplies words. The depth counts words. Sums wrap, and there are no Steps.
	WordKernel = Kernel[Word, Sum]
	// LaneKernel multiplies what its Tiling says, for code that serves all types of elements: see
	// Lanes.
	LaneKernel = Kernel[Lane, Lane]
)

// New returns the fastest kernel for float32 on this machine.
func New() *FloatKernel { return &FloatKernel{tile.NewFloats()} }

// NewPairs returns a kernel for pairs of f16 or bf16. It is slower than that for float32 where
// HasPairs returns false. Where it returns true, subnormal sums, and subnormal elements of bf16,
// count as 0, as the processor has them. On arm64, sums of a few dozen products of f16 are f16, see
// AddsF32.
func NewPairs(f16 bool) *PairKernel { return &PairKernel{tile.NewPairs(f16)} }

// NewQuads returns the fastest kernel for quads.
func NewQuads() *QuadKernel { return &QuadKernel{tile.NewQuads()} }

// NewWords returns a kernel for words. It must be used only where HasWords returns true.
func NewWords() *WordKernel { return &WordKernel{tile.NewWords()} }

// Multiply multiplies a block of packed panels: see tile.Product.
func (k *Kernel[E, C]) Multiply(p *Product[E, C]) {
	if p.Empty() {
		return
	}
	switch p := any(p).(type) {
	case *FloatProduct:
		tile.MultiplyFloats(&k.Tiling, p)
	case *Product[Pair, float32]:
		tile.MultiplyPairs(&k.Tiling, p)
	case *Product[Quad, float32]:
		tile.MultiplyQuads(&k.Tiling, p)
	case *Product[Word, Sum]:
		tile.MultiplyWords(&k.Tiling, p)
	case *Product[Lane, Lane]:
		tile.MultiplyLanes(&k.Tiling, p)
	}
}

// Lanes returns k for lanes.
func (k *Kernel[E, C]) Lanes() *LaneKernel { return &LaneKernel{k.Tiling} }

// Matrix is a view of a matrix. The element in row i and column j is Data[i*RowStride +
// j*ColStride].
type Matrix[E any] struct {
	Data                 []E
	RowStride, ColStride int
}

// HasAMX reports whether there are kernels for tiles of AMX.
func HasAMX() bool { return tile.HasAMX() }

// HasPairs reports whether there is a kernel for pairs of bf16, or of f16, that is faster than that
// for float32.
func HasPairs(f16 bool) bool { return tile.HasPairs(f16) }

// HasHalves reports whether products with matrices of PackHalves are as fast as those of float32.
func HasHalves() bool { return tile.HasHalves() }

// HasWords reports whether there is a kernel for pairs of i16 that is faster than that for float32.
func HasWords() bool { return pack.HasWords() }

// HasLevels reports whether products of quads have the steps HSwish, SlopeRows and ToLevels.
func HasLevels() bool { return tile.HasLevels() }

// QuadsPay reports whether convolutions of quads are faster than those of float32.
func QuadsPay() bool { return tile.QuadsPay() }

// QuadSize returns the number of elements of the depth that a quad holds: 4 bytes, or 2 i16.
func QuadSize() int { return pack.QuadSize() }

// QuadZero returns what is subtracted from the bytes of b.
func QuadZero() uint8 { return pack.QuadZero() }

// QuadsOf returns the number of quads that hold n elements of the depth. The last one may have
// elements left.
func QuadsOf(n int) int { return pack.QuadsOf(n) }

// PairsOf returns the number of pairs of n elements. The last pair may have a single one.
func PairsOf(n int) int { return pack.PairsOf(n) }

// MaxLevelZero is the largest distance of the level of zero from level 0 for products of levels:
// sums of products of numbers that are all far from zero would be rounded too much.
const MaxLevelZero = 1 << 10

// LevelsPay reports whether it is faster to make quads of two matrices of u8 and to multiply them
// than to multiply float32, and whether all sums fit an int32. With few rows or columns, or a small
// depth, making the quads takes as long as is saved.
func LevelsPay(m, n, depth int) bool {
	const leastLines, leastDepth, mostDepth = 48, 32, (1<<31 - 1) / (255 * 255)
	return min(m, n) >= leastLines && depth >= leastDepth && depth <= mostDepth
}
