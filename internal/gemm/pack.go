package gemm

import (
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
)

// PackA packs panels lo to hi-1 of block i of a, which has m rows and depth columns. dst holds all
// panels of the block, each of MR*Depth(i, depth) elements. Rows beyond m are zeros.
func (k *Kernel[T]) PackA(dst []T, a Matrix[T], m, depth, i, lo, hi int) {
	block, tile := k.Depth(i, depth), 0
	if k.isa.isAMX() {
		tile = k.TileA(block)
	}
	pack(dst, a.Data[i*k.KC*a.ColStride:], a.RowStride, a.ColStride, k.MR, m, block, tile, lo, hi)
}

// TileA returns the depth of the tiles of a block that PackA packs: element p of line l of a panel is at
//
//	p/tile*tile*MR + l*tile + p%tile
func (k *Kernel[T]) TileA(block int) int {
	if k.isa.isAMX() {
		return amxDepth(block)
	}
	return 1
}

// PackB packs panels lo to hi-1 of block i of b, which has depth rows and n columns. dst holds all
// panels of the block, each of NR*Depth(i, depth) elements. Columns beyond n are zeros.
func (k *Kernel[T]) PackB(dst []T, b Matrix[T], n, depth, i, lo, hi int) {
	pack(dst, b.Data[i*k.KC*b.RowStride:], b.ColStride, b.RowStride, k.NR, n, k.Depth(i, depth), 0, lo, hi)
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

// pack writes panels lo to hi-1. A line is a row of a or a column of b, and a panel has width lines.
// For p below depth and l below width, it sets
//
//	dst[(panel*depth + p)*width + l] = src[(panel*width + l)*line + p*step]
//
// Lines beyond the given number are zeros. If tile, a depth that divides that of the block, is not 0, the lines of each tile follow
// each other, as AMX has them in panels of a:
//
//	dst[panel*depth*width + p/tile*tile*width + l*tile + p%tile]
func pack[T Number](dst, src []T, line, step, width, lines, depth, tile, lo, hi int) {
	for panel := lo; panel < hi; panel++ {
		out := dst[panel*depth*width:][:depth*width]
		first := panel * width
		count := min(width, lines-first)
		if count < width {
			clear(out)
		}
		switch {
		case tile > 0:
			packTiles(out, src[first*line:], line, step, width, count, depth, tile)
		case line == 1 && count == width && copyVectors(out, src[first:], step, width, depth):
		case line == 1:
			for p := range depth {
				copy(out[p*width:][:count], src[first+p*step:])
			}
		case step == 1:
			transpose(out, src[first*line:], line, width, count, depth)
		default:
			for l := range count {
				at := (first + l) * line
				for o := l; o < len(out); o += width {
					out[o] = src[at]
					at += step
				}
			}
		}
	}
}

// transpose sets out[p*width + l] = src[l*line + p] for l below count and p below depth. It uses
// assembly for as many lines and positions as possible.
func transpose[T Number](out, src []T, line, width, count, depth int) {
	lines, positions := transposeVectors(out, src, line, width, count, depth)
	if lines > 0 {
		transposeRest(out[positions*width:], src[positions:], line, width, 0, lines, depth-positions)
	}
	transposeRest(out, src, line, width, lines, count, depth)
}

// transposeRest is transpose for lines lo to hi-1, four at a time.
func transposeRest[T Number](out, src []T, line, width, lo, hi, depth int) {
	l := lo
	for ; l+4 <= hi; l += 4 {
		r0, r1 := src[l*line:][:depth], src[(l+1)*line:][:depth]
		r2, r3 := src[(l+2)*line:][:depth], src[(l+3)*line:][:depth]
		o := l
		for p := range r0 {
			quad := out[o : o+4 : o+4]
			quad[0], quad[1], quad[2], quad[3] = r0[p], r1[p], r2[p], r3[p]
			o += width
		}
	}
	for ; l < hi; l++ {
		o := l
		for _, v := range src[l*line:][:depth] {
			out[o] = v
			o += width
		}
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

// PackAllA packs all blocks of a, which has m rows and depth columns. It ends early if stop is requested.
func (k *Kernel[T]) PackAllA(stop parallel.Stop, a Matrix[T], m, depth int) *Packed[T] {
	p := k.newPacked(k.PanelsA(m)*k.MR, depth)
	for i := range k.Blocks(depth) {
		k.PackSomeA(stop, p.Block(i), a, m, depth, i, 0, k.PanelsA(m))
	}
	return p
}

// PackAllB packs all blocks of b, which has depth rows and n columns. It ends early if stop is requested.
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

// Block returns the panels of block i, in the layout that Multiply needs. It is not for a matrix of PackHalves.
func (p *Packed[T]) Block(i int) []T { return p.panels[i*p.kc*p.lines:] }
