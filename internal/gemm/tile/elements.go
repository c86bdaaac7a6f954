package tile

import (
	"github.com/vinoir/vinoir/internal/gemm/pack"
)

// PairRows sets dst[i] to the pair of the bf16, or f16, nearest to first[i] and second[i], for a
// kernel of pairs. If second is nil, its elements are 0. dst must not overlap the others.
func (t *Tiling) PairRows(dst, first, second []float32) {
	pack.PairRows(t.ISA.IsF16(), dst, first, second)
}

// PairElements sets dst, of PairsOf(len(src)) elements, to the pairs of neighbouring elements of
// src, rounded as by PairRows. A last element without a neighbour is paired with 0.
func (t *Tiling) PairElements(dst, src []float32) { pack.PairElements(t.ISA.IsF16(), dst, src) }

// PacksPairs reports whether PairPanel rounds and packs by one pass of assembly.
func (t *Tiling) PacksPairs() bool {
	return (t.ISA == BF16 || t.ISA == AMXPairs) && pack.HasPairPanels()
}

// PairPanel packs a panel of b from rows of float32, for a kernel for which PacksPairs returns
// true: row p of the panel has the pairs of rows 2*p and 2*p+1 of src, rounded as by PairRows. Rows
// are stride elements apart. Columns from the given number on become 0; it is at most NR.
func (t *Tiling) PairPanel(panel, src []float32, stride, rows, columns int) {
	pack.PairPanel(panel, t.NR, src, stride, rows, columns)
}

// PacksQuads reports whether QuadPanel packs quads of bytes by one pass of assembly.
func (t *Tiling) PacksQuads() bool { return t.NR == pack.PanelQuads && pack.HasQuadPanels() }

// QuadPanel packs a panel of b from rows of bytes, for a kernel for which PacksQuads returns true:
// row p of the panel has the quads of rows 4*p to 4*p+3 of src. Those without a row are elements of
// the last one, as they are multiplied by 0. Rows are stride elements apart. Columns from the given
// number on are undefined; it is at most NR.
func (t *Tiling) QuadPanel(panel []float32, src []uint8, stride, rows, columns int) {
	pack.QuadPanel(panel, src, stride, rows, columns)
}
