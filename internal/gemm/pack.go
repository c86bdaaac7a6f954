package gemm

import (
	"github.com/vinoir/vinoir/internal/gemm/pack"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
)

// PackA packs panels lo to hi-1 of block i of a, which has m rows and depth columns. dst holds all
// panels of the block, each of MR*Depth(i, depth) elements. Rows beyond m are zeros.
func (k *Kernel[T]) PackA(dst []T, a Matrix[T], m, depth, i, lo, hi int) {
	block := k.Depth(i, depth)
	pack.Pack(dst, a.Data[i*k.KC*a.ColStride:], &pack.Panels{
		Line: a.RowStride, Step: a.ColStride, Width: k.MR, Lines: m, Depth: block, Tile: k.TileA(block),
	}, lo, hi)
}

// PackB packs panels lo to hi-1 of block i of b, which has depth rows and n columns. dst holds all
// panels of the block, each of NR*Depth(i, depth) elements. Columns beyond n are zeros.
func (k *Kernel[T]) PackB(dst []T, b Matrix[T], n, depth, i, lo, hi int) {
	pack.Pack(dst, b.Data[i*k.KC*b.RowStride:], &pack.Panels{
		Line: b.ColStride, Step: b.RowStride, Width: k.NR, Lines: n, Depth: k.Depth(i, depth), Tile: 1,
	}, lo, hi)
}

// packPanels is the number of panels that PackSomeA and PackSomeB pack between two checks.
const packPanels = 16

// PackSomeA is PackA for any number of panels. It ends early if stop is requested.
func (k *Kernel[T]) PackSomeA(stop parallel.Stop, dst []T, a Matrix[T], m, depth, i, lo, hi int) {
	for ; lo < hi && !stop.Requested(); lo += packPanels {
		k.PackA(dst, a, m, depth, i, lo, min(lo+packPanels, hi))
	}
}

// PackSomeB is PackB for any number of panels. It ends early if stop is requested.
func (k *Kernel[T]) PackSomeB(stop parallel.Stop, dst []T, b Matrix[T], n, depth, i, lo, hi int) {
	for ; lo < hi && !stop.Requested(); lo += packPanels {
		k.PackB(dst, b, n, depth, i, lo, min(lo+packPanels, hi))
	}
}

// Packed is a matrix with all its blocks packed. It is for weights, which do not change.
type Packed[T Number] struct {
	panels []T
	halves *halves // b in the place of panels, if it is packed as f16 or bf16
	lines  int     // rows of a or columns of b, rounded up to panels
	kc     int
}

// PackedLenA returns the number of elements that PackAllA takes for m rows and depth columns.
func (k *Kernel[T]) PackedLenA(m, depth int) int { return k.PanelsA(m) * k.MR * depth }

// PackedLenB returns the number of elements that PackAllB takes for depth rows and n columns.
func (k *Kernel[T]) PackedLenB(n, depth int) int { return k.PanelsB(n) * k.NR * depth }

// PackAllA packs all blocks of a, which has m rows and depth columns. It ends early if stop is
// requested.
func (k *Kernel[T]) PackAllA(stop parallel.Stop, a Matrix[T], m, depth int) *Packed[T] {
	p := k.newPacked(k.PanelsA(m)*k.MR, depth)
	for i := range k.Blocks(depth) {
		k.PackSomeA(stop, p.Block(i), a, m, depth, i, 0, k.PanelsA(m))
	}
	return p
}

// PackAllB packs all blocks of b, which has depth rows and n columns. It ends early if stop is
// requested.
func (k *Kernel[T]) PackAllB(stop parallel.Stop, b Matrix[T], n, depth int) *Packed[T] {
	p := k.newPacked(k.PanelsB(n)*k.NR, depth)
	for i := range k.Blocks(depth) {
		k.PackSomeB(stop, p.Block(i), b, n, depth, i, 0, k.PanelsB(n))
	}
	return p
}

// newPacked returns memory for all blocks of a number of lines.
// It is not inlined, as it has many callers.
//
//go:noinline
func (k *Kernel[T]) newPacked(lines, depth int) *Packed[T] {
	return &Packed[T]{panels: memory.Of[T](lines * depth), lines: lines, kc: k.KC}
}

// Block returns the panels of block i, in the layout that Multiply needs. It is not for a matrix of
// PackHalves.
func (p *Packed[T]) Block(i int) []T { return p.panels[i*p.kc*p.lines:] }
