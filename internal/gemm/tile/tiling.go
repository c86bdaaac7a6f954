// Package tile has the micro-kernels of package gemm: what multiplies packed panels of a by packed
// panels of b, in registers, for each instruction set and type of element, with the loops over the
// tiles of c. A portable micro-kernel of each type of element does the same.
package tile

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/gemm/pack"
)

//go:generate go run ./_neon -out tile_arm64.s -stubs stubs_arm64.go -pkg tile

// Tiling selects a micro-kernel and holds the sizes of its panels and blocks.
type Tiling struct {
	MR, NR   int // rows of a panel of a, columns of a panel of b: the size of a tile of c
	KC       int // depth of a block; the last block can have less
	ISA      ISA
	Operands Operands
}

// ISA is the instruction set of a micro-kernel.
type ISA uint8

const (
	Portable ISA = iota
	AVX2
	AVX512
	AVXVNNI
	AMX
	NEON
)

// Operands is what the elements of a and b hold.
type Operands uint8

const (
	Floats  Operands = iota // float32
	BF16                    // pairs of bf16
	F16                     // pairs of f16
	F16Sums                 // pairs of f16, with sums of f16
	Bytes                   // quads of bytes
	Words                   // two i16, in words or quads
)

// String returns the instruction set, the operands and the size of a tile, such as "avx512_bf16
// 12x32". It is not inlined: see Blocks.
//
//go:noinline
func (t *Tiling) String() string {
	return fmt.Sprintf("%v%v %dx%d", t.ISA, t.Operands, t.MR, t.NR)
}

// String returns the name of the instruction set.
func (i ISA) String() string {
	return [...]string{"portable", "avx2", "avx512", "avx_vnni", "amx", "neon"}[i]
}

// String returns the operands as they follow the name of an instruction set.
func (o Operands) String() string {
	return [...]string{"", "_bf16", "_f16", "_f16_sums", "_i8", "_i16"}[o]
}

// Blocks returns the number of blocks that the given depth is divided into. Like String and the
// functions below, it is not inlined: a division takes longer than a call, and the callers of all
// would be 4.3 KiB larger.
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

// AddsF32 reports whether products of pairs are added as float32, not as f16.
func (t *Tiling) AddsF32() bool { return t.Operands != F16Sums }

// HasIntegers reports whether the elements are quads or words.
func (t *Tiling) HasIntegers() bool { return t.Operands == Bytes || t.Operands == Words }

// RoundsToF16 reports whether the elements are pairs of f16, not of bf16.
func (t *Tiling) RoundsToF16() bool { return t.Operands == F16 || t.Operands == F16Sums }

// PairRows sets dst[i] to the pair of the bf16, or f16, nearest to first[i] and second[i], for a
// kernel of pairs. If second is nil, its elements are 0. dst must not overlap the others.
func (t *Tiling) PairRows(dst []pack.Pair, first, second []float32) {
	pack.PairRows(t.RoundsToF16(), dst, first, second)
}

// PairElements sets dst, of PairsOf(len(src)) elements, to the pairs of neighbouring elements of
// src, rounded as by PairRows. A last element without a neighbour is paired with 0.
func (t *Tiling) PairElements(dst []pack.Pair, src []float32) {
	pack.PairElements(t.RoundsToF16(), dst, src)
}

// PacksPairs reports whether PairPanel rounds and packs by one pass of assembly.
func (t *Tiling) PacksPairs() bool {
	return t.Operands == BF16 && t.ISA != Portable && pack.HasPairPanels()
}

// PairPanel packs a panel of b from rows of float32, for a kernel for which PacksPairs returns
// true: row p of the panel has the pairs of rows 2*p and 2*p+1 of src, rounded as by PairRows. Rows
// are stride elements apart. Columns from the given number on become 0; it is at most NR.
func (t *Tiling) PairPanel(panel []pack.Pair, src []float32, stride, rows, columns int) {
	pack.PairPanel(panel, t.NR, src, stride, rows, columns)
}

// PacksQuads reports whether QuadPanel packs quads of bytes by one pass of assembly.
func (t *Tiling) PacksQuads() bool { return t.NR == pack.PanelQuads && pack.HasQuadPanels() }

// QuadPanel packs a panel of b from rows of bytes, for a kernel for which PacksQuads returns true:
// row p of the panel has the quads of rows 4*p to 4*p+3 of src. Those without a row are elements of
// the last one, as they are multiplied by 0. Rows are stride elements apart. Columns from the given
// number on are undefined; it is at most NR.
func (t *Tiling) QuadPanel(panel []pack.Quad, src []uint8, stride, rows, columns int) {
	pack.QuadPanel(panel, src, stride, rows, columns)
}

// Tiles of AMX have up to 16 rows of 64 bytes: 16 elements that are quads of bytes or pairs of
// bf16. A micro-kernel holds two by two tiles of c, so that panels have 32 rows and 32 columns. An
// instruction multiplies amxDepth steps of the depth of a block, so the rows of a that it reads
// must be stored row by row: the layout of a panel of a differs from that of all other kernels.

const (
	AMXMR, AMXNR       = 32, 32
	avx512MR, avx512NR = 12, 32
	// amxLines is the largest number of rows of a tile, and of elements of a row.
	amxLines = 16
	// minAMXDepth is the smallest depth of a tile for which AMX pays: with AVX-512, an instruction
	// does 1/8 to 1/16 of the products of whole tiles.
	minAMXDepth = 4
)

// amxDepth returns the depth of the tiles that a block is divided into: the largest one that
// divides it, so that no tile of a or b is partly filled.
func amxDepth(block int) int {
	for d := min(block, amxLines); d > 1; d-- {
		if block%d == 0 {
			return d
		}
	}
	return 1
}

// Fit makes t the fastest tiling for products of a depth of all blocks, where another one with the
// same blocks is faster. Panels must be packed after that. New kernels are the fastest ones for
// most depths.
func (t *Tiling) Fit(depth int) {
	if t.Operands != F16 && !t.Pays(depth) {
		t.MR, t.ISA = avx512MR, AVX512
	}
}

// Pays reports whether tiles of AMX have a depth with which they are faster than AVX-512. It is
// true for kernels without tiles. There is no other kernel for pairs of f16 than that of AMX: where
// it does not pay, products of float32 are faster.
func (t *Tiling) Pays(depth int) bool {
	return t.ISA != AMX || depth == 0 || min(amxDepth(t.Depth(0, depth)), amxDepth(t.Depth(t.Blocks(depth)-1, depth))) >= minAMXDepth
}

// IgnoresFlip reports whether Product.Flip is ignored although b has u8, since AMX multiplies
// panels of b as they are in memory. Then the bytes must be those that Flip would make.
func (t *Tiling) IgnoresFlip() bool { return t.ISA == AMX && t.Operands == Bytes }

// TileA returns the depth of the tiles of AMX that panels of a consist of, for a block; 1 without
// AMX: element p of line l of a panel is at
//
//	p/tile*tile*MR + l*tile + p%tile
func (t *Tiling) TileA(block int) int {
	if t.ISA == AMX {
		return amxDepth(block)
	}
	return 1
}
