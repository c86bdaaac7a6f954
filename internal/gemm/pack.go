package gemm

import (
	"github.com/vinoir/vinoir/internal/gemm/pack"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
)

// PackA packs panels lo to hi-1 of block i of a, which has m rows and depth columns. dst holds all
// panels of the block, each of MR*Depth(i, depth) elements. Rows beyond m are zeros.
func (k *Kernel[E, C]) PackA(dst []E, a Matrix[E], m, depth, i, lo, hi int) {
	block := k.Depth(i, depth)
	pack.Pack(dst, a.Data[i*k.KC*a.ColStride:], &pack.Panels{
		Line: a.RowStride, Step: a.ColStride, Width: k.MR, Lines: m, Depth: block, Tile: k.TileA(block),
	}, lo, hi)
}

// PackB packs panels lo to hi-1 of block i of b, which has depth rows and n columns. dst holds all
// panels of the block, each of NR*Depth(i, depth) elements. Columns beyond n are zeros.
func (k *Kernel[E, C]) PackB(dst []E, b Matrix[E], n, depth, i, lo, hi int) {
	packB(&k.Tiling, dst, b, n, depth, i, lo, hi)
}

func packB[E pack.Element](k *Tiling, dst []E, b Matrix[E], n, depth, i, lo, hi int) {
	pack.Pack(dst, b.Data[i*k.KC*b.RowStride:], &pack.Panels{
		Line: b.ColStride, Step: b.RowStride, Width: k.NR, Lines: n, Depth: k.Depth(i, depth), Tile: 1,
	}, lo, hi)
}

// packPanels is the number of panels that PackSomeA and PackSomeB pack between two checks.
const packPanels = 16

// PackSomeA is PackA for any number of panels. It ends early if stop is requested.
func (k *Kernel[E, C]) PackSomeA(stop parallel.Stop, dst []E, a Matrix[E], m, depth, i, lo, hi int) {
	for ; lo < hi && !stop.Requested(); lo += packPanels {
		k.PackA(dst, a, m, depth, i, lo, min(lo+packPanels, hi))
	}
}

// PackSomeB is PackB for any number of panels. It ends early if stop is requested.
func (k *Kernel[E, C]) PackSomeB(stop parallel.Stop, dst []E, b Matrix[E], n, depth, i, lo, hi int) {
	for ; lo < hi && !stop.Requested(); lo += packPanels {
		k.PackB(dst, b, n, depth, i, lo, min(lo+packPanels, hi))
	}
}

// Packed is a matrix with all its blocks packed. It is for weights, which do not change.
type Packed[E pack.Element] struct {
	panels []E
	halves *halves // b in the place of panels, if it is packed as f16 or bf16
	lines  int     // rows of a or columns of b, rounded up to panels
	kc     int
}

// PackedLenA returns the number of elements that PackAllA takes for m rows and depth columns.
func (k *Kernel[E, C]) PackedLenA(m, depth int) int { return k.PanelsA(m) * k.MR * depth }

// PackedLenB returns the number of elements that PackAllB takes for depth rows and n columns.
func (k *Kernel[E, C]) PackedLenB(n, depth int) int { return k.PanelsB(n) * k.NR * depth }

// PackAllA packs all blocks of a, which has m rows and depth columns. It ends early if stop is
// requested.
func (k *Kernel[E, C]) PackAllA(stop parallel.Stop, a Matrix[E], m, depth int) *Packed[E] {
	p := newPacked[E](&k.Tiling, k.PanelsA(m)*k.MR, depth)
	for i := range k.Blocks(depth) {
		k.PackSomeA(stop, p.Block(i), a, m, depth, i, 0, k.PanelsA(m))
	}
	return p
}

// PackAllB packs all blocks of b, which has depth rows and n columns. It ends early if stop is
// requested.
func (k *Kernel[E, C]) PackAllB(stop parallel.Stop, b Matrix[E], n, depth int) *Packed[E] {
	return packAllB(stop, &k.Tiling, b, n, depth)
}

func packAllB[E pack.Element](stop parallel.Stop, k *Tiling, b Matrix[E], n, depth int) *Packed[E] {
	p := newPacked[E](k, k.PanelsB(n)*k.NR, depth)
	for i := range k.Blocks(depth) {
		for lo, panels := 0, k.PanelsB(n); lo < panels && !stop.Requested(); lo += packPanels {
			packB(k, p.Block(i), b, n, depth, i, lo, min(lo+packPanels, panels))
		}
	}
	return p
}

// newPacked returns memory for all blocks of a number of lines.
func newPacked[E pack.Element](k *Tiling, lines, depth int) *Packed[E] {
	return &Packed[E]{panels: memory.Of[E](lines * depth), lines: lines, kc: k.KC}
}

// Block returns the panels of block i, in the layout that Multiply needs. It is not for a matrix of
// PackHalves.
func (p *Packed[E]) Block(i int) []E { return p.panels[i*p.kc*p.lines:] }
