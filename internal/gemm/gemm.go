// Package gemm multiplies matrices:
//
//	c[i,j] = sum over p of a[i,p]*b[p,j]
//
// in blocks of the depth p. Of each block, a is packed into panels of MR rows and b
// into panels of NR columns, which a micro-kernel multiplies in registers, tile by
// tile of c. Packing and multiplying are separate and work on ranges of panels, so
// that a caller can run ranges in parallel, and keep panels of weights.
//
// The micro-kernels of float32 are assembly where the machine has them; every
// other type has the portable one. The tag noasm leaves only that.
package gemm

import "unsafe"

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
)

// maxTile is the number of elements of the largest tile of any micro-kernel.
const maxTile = 12 * 32

// New returns the fastest kernel of this machine for T.
func New[T Number]() *Kernel[T] {
	if isFloat32[T]() {
		return newFloat32[T]()
	}
	return newPortable[T]()
}

func newPortable[T Number]() *Kernel[T] {
	return &Kernel[T]{MR: 4, NR: 2, KC: 256}
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

// PackA packs panels lo to hi-1 of block i of a, which is m by depth. dst holds
// all panels of the block, MR*Depth elements each; rows beyond m are zeros.
func (k *Kernel[T]) PackA(dst []T, a Matrix[T], m, depth, i, lo, hi int) {
	pack(dst, a.Data[i*k.KC*a.ColStride:], a.RowStride, a.ColStride, k.MR, m, k.Depth(i, depth), lo, hi)
}

// PackB packs panels lo to hi-1 of block i of b, which is depth by n. dst holds
// all panels of the block, NR*Depth elements each; columns beyond n are zeros.
func (k *Kernel[T]) PackB(dst []T, b Matrix[T], n, depth, i, lo, hi int) {
	pack(dst, b.Data[i*k.KC*b.RowStride:], b.ColStride, b.RowStride, k.NR, n, k.Depth(i, depth), lo, hi)
}

// pack writes panels of width lines; line l at position p is src[l*line + p*step].
//
//	dst[(panel*depth + p)*width + l] = src[(panel*width + l)*line + p*step]
func pack[T Number](dst, src []T, line, step, width, lines, depth, lo, hi int) {
	for panel := lo; panel < hi; panel++ {
		out := dst[panel*depth*width:][:depth*width]
		first := panel * width
		count := min(width, lines-first)
		if count < width {
			clear(out)
		}
		switch {
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

// transpose sets out[p*width + l] = src[l*line + p] for l below count and p below
// depth, four lines at a time.
func transpose[T Number](out, src []T, line, width, count, depth int) {
	l := 0
	for ; l+4 <= count; l += 4 {
		r0, r1 := src[l*line:][:depth], src[(l+1)*line:][:depth]
		r2, r3 := src[(l+2)*line:][:depth], src[(l+3)*line:][:depth]
		o := l
		for p := range r0 {
			quad := out[o : o+4 : o+4]
			quad[0], quad[1], quad[2], quad[3] = r0[p], r1[p], r2[p], r3[p]
			o += width
		}
	}
	for ; l < count; l++ {
		o := l
		for _, v := range src[l*line:][:depth] {
			out[o] = v
			o += width
		}
	}
}

// Multiply multiplies block i of packed panels into rows mLo to mHi-1 and columns
// nLo to nHi-1 of c, which is m by n with rows ldc apart; the lower limits are
// multiples of MR and NR. Block 0 sets c, the others add to it.
func (k *Kernel[T]) Multiply(c []T, ldc int, a, b []T, depth, i int, mLo, mHi, nLo, nHi int) {
	d, add := k.Depth(i, depth), i > 0
	for n := nLo; n < nHi; n += k.NR {
		panelB := b[n*d:][:k.NR*d]
		for m := mLo; m < mHi; m += k.MR {
			panelA := a[m*d:][:k.MR*d]
			rows, columns := min(k.MR, mHi-m), min(k.NR, nHi-n)
			if rows == k.MR && columns == k.NR {
				k.tile(d, panelA, panelB, c[m*ldc+n:], ldc, add)
				continue
			}
			var edge [maxTile]T
			k.tile(d, panelA, panelB, edge[:k.MR*k.NR], k.NR, false)
			for r := range rows {
				out := c[(m+r)*ldc+n:][:columns]
				if !add {
					copy(out, edge[r*k.NR:])
					continue
				}
				for j, v := range edge[r*k.NR:][:columns] {
					out[j] += v
				}
			}
		}
	}
}

// Packed is a matrix b, all blocks of it packed: weights, which do not change.
type Packed[T Number] struct {
	panels []T
	n      int // columns, rounded up to panels
	kc     int
}

// Pack packs the whole of b, which is depth by n.
func (k *Kernel[T]) Pack(b Matrix[T], n, depth int) *Packed[T] {
	p := &Packed[T]{n: k.PanelsB(n) * k.NR, kc: k.KC}
	p.panels = make([]T, p.n*depth)
	for i := range k.Blocks(depth) {
		k.PackB(p.Block(i), b, n, depth, i, 0, k.PanelsB(n))
	}
	return p
}

// Block returns the panels of block i.
func (p *Packed[T]) Block(i int) []T { return p.panels[i*p.kc*p.n:] }
