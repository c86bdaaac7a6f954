// Package tile has the micro-kernels of package gemm: what multiplies packed panels of a by packed
// panels of b, in registers, for each instruction set and type of element, with the loops over the
// tiles of c. A portable micro-kernel does the same.
package tile

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/gemm/pack"
)

//go:generate go run ./_neon -out tile_arm64.s -stubs stubs_arm64.go -pkg tile

// Tiling selects a micro-kernel and holds the sizes of its panels and blocks.
type Tiling struct {
	MR, NR int // rows of a panel of a, columns of a panel of b: the size of a tile of c
	KC     int // depth of a block; the last block can have less
	ISA    ISA
}

// ISA is the instruction set of a micro-kernel.
type ISA uint8

const (
	Portable       ISA = iota
	PortablePairs      // pairs of bf16 in the place of float32
	PortableF16        // pairs of f16 in the place of float32
	AVX2               // float32
	AVX512             // float32
	NEON               // float32
	BF16               // pairs of bf16 in the place of float32
	Words              // pairs of i16 in the place of float32, with AVX2
	AVXVNNI            // quads of bytes in the place of float32
	AMXQuads           // quads of bytes in the place of float32
	AMXPairs           // pairs of bf16 in the place of float32
	AMXF16             // pairs of f16 in the place of float32
	SDOT               // quads of i8 in the place of float32, with NEON
	PortableHalves     // pairs of f16 in the place of float32, with sums of f16
	NEONHalves         // the same, with NEON
)

// String returns the instruction set and the size of a tile, such as "avx512 12x32". It is not
// inlined, as it has many callers.
//
//go:noinline
func (t *Tiling) String() string {
	return fmt.Sprintf("%v %dx%d", t.ISA, t.MR, t.NR)
}

// String returns the name of the instruction set.
func (i ISA) String() string {
	return [...]string{"portable", "portable_bf16", "portable_f16", "avx2", "avx512", "neon", "avx512_bf16", "avx2_i16", "avx_vnni", "amx_int8", "amx_bf16", "amx_fp16", "neon_i8", "portable_f16_sums", "neon_f16"}[i]
}

// Blocks returns the number of blocks that the given depth is divided into. Like the functions
// below, it is not inlined: its division takes longer than a call, and it has hundreds of callers.
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

// NewPortable returns the tiling of the portable micro-kernel.
func NewPortable() Tiling { return Tiling{MR: PortableMR, NR: PortableNR, KC: 256} }

// NewWords returns the tiling for words, which only AVX2 has.
func NewWords() Tiling { return Tiling{MR: 6, NR: 16, KC: 384, ISA: Words} }

// Block is a block of the depth of a product. Rows MLo to MHi-1 and columns NLo to NHi-1 of c
// become the product of a and b.
type Block[T pack.Number] struct {
	C    []T
	LDC  int // elements from one row of c to the next
	A, B []T // all panels of the block, as package pack writes them
	// Depth is that of the block.
	Depth int
	// Add adds the product to c.
	Add bool
	// MLo is a multiple of MR, NLo of NR. There is a row and a column.
	MLo, MHi, NLo, NHi int
	// Epilogue is applied at the end. nil does nothing.
	Epilogue *Epilogue[T]
}

// MultiplyBlock multiplies a block of float32, or of pairs or words in their place.
func (t *Tiling) MultiplyBlock(p *Block[float32]) {
	switch t.ISA {
	case Portable:
		MultiplyPortable(t, p)
	case PortablePairs, PortableF16:
		multiplyPairs(t, p)
	case PortableHalves:
		multiplyHalves(t, p)
	case NEONHalves:
		multiplyHalfTiles(t, p)
	default:
		multiplyTiles(t, p)
	}
}
