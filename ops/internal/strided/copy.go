package strided

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// byteCost is the cost of a byte: rows are short, so that copying them takes longer than one copy.
const byteCost = 2 * ops.CopyCost

// longRowBytes is the size in bytes above which a row is not copied at once.
const longRowBytes = 1 << 20

// Copier is a prepared copy from one view to another. The views are divided into rows along
// their last axis, or into tiles. A Copier is immutable.
type Copier struct {
	// Rows is the number of rows or tiles, and Grain the number of them that are worth another
	// thread.
	Rows, Grain int

	dst, src int    // offsets
	outer    []axis // the axes along which rows or tiles are counted
	row      axis
	tiles    tiles
	// nil for elements of less than a byte
	move func(c *Copier, dst, src *ir.Tensor, lo, hi int)
}

// axis is an axis of both views: its length, and the distances between adjacent elements.
type axis struct{ n, dst, src int }

// Copy returns the Copier that sets a tensor of element type t to a view of another tensor:
//
//	for each i: dst[i] = src[view.At(i)]
func Copy(t ir.ElementType, view View) *Copier {
	return Move(t, View{Lengths: view.Lengths, Strides: Strides(view.Lengths)}, view)
}

// Move returns the Copier that sets a view of a tensor of element type t to a view of another
// tensor, of the same lengths:
//
//	for each i: dst[dstView.At(i)] = src[srcView.At(i)]
//
// dstView must not contain an element of dst twice.
func Move(t ir.ElementType, dstView, srcView View) *Copier {
	c := &Copier{dst: dstView.Offset, src: srcView.Offset}
	axes := merge(dstView, srcView)
	size := t.Size()
	switch {
	case t == ir.String:
		size = 16
	case size == 0:
		if whole, ok := c.bytes(t, axes); ok {
			c.plan(whole, 1)
			c.move = moveBytes
		} else {
			c.packed(axes)
		}
		return c
	}
	c.plan(axes, size)
	switch size {
	case 1:
		c.move = choose(c, moveData[uint8], tileSmall[uint8])
	case 2:
		c.move = choose(c, moveData[uint16], tileSmall[uint16])
	case 4:
		c.move = choose(c, moveData[uint32], tileSmall[uint32])
	case 8:
		c.move = choose(c, moveData[uint64], tileData[uint64])
	default:
		c.move = choose(c, moveData[complex128], tileData[complex128])
	}
	if t == ir.String {
		c.move = choose(c, moveStrings, tileStrings)
	}
	return c
}

// mover copies rows or tiles lo to hi-1.
type mover func(c *Copier, dst, src *ir.Tensor, lo, hi int)

// choose returns the mover for the way in which c is divided.
func choose(c *Copier, rows, tiled mover) mover {
	if c.tiles.k.n > 0 {
		return tiled
	}
	return rows
}

// merge returns the axes of both views, without axes of length 1 and with adjacent axes joined
// if one continues the other in both views.
func merge(dst, src View) []axis {
	var axes []axis
	for k, n := range dst.Lengths {
		a := axis{n, dst.Strides[k], src.Strides[k]}
		if n == 1 {
			continue
		}
		if last := len(axes) - 1; last >= 0 && axes[last].dst == n*a.dst && axes[last].src == n*a.src {
			a.n *= axes[last].n
			axes[last] = a
			continue
		}
		axes = append(axes, a)
	}
	return axes
}

// plan divides axes of elements of size bytes into rows or tiles.
func (c *Copier) plan(axes []axis, size int) {
	c.Rows = 1
	for _, a := range axes {
		c.Rows *= a.n
	}
	if c.Rows == 0 {
		return
	}
	last := len(axes) - 1
	if last < 0 {
		axes, last = []axis{{1, 1, 1}}, 0
	}
	if c.planTiles(axes, size) {
		return
	}
	c.row, c.outer = axes[last], axes[:last]
	if last == 0 && c.row.dst == 1 && c.row.src == 1 || c.row.n > longRowBytes/size {
		// A single contiguous row is divided among threads, and a long row is copied in pieces.
		c.row, c.outer = axis{1, 1, 1}, axes
	}
	c.Rows /= c.row.n
	c.Grain = ops.Grain(byteCost * float64(c.row.n*size))
}

// Run copies rows or tiles lo to hi-1. If that takes long, it ends early when stop is requested.
func (c *Copier) Run(stop parallel.Stop, dst, src *ir.Tensor, lo, hi int) {
	if c.move == nil {
		c.movePacked(stop, dst, src, lo, hi)
		return
	}
	c.move(c, dst, src, lo, hi)
}

func moveData[T ir.Element](c *Copier, dst, src *ir.Tensor, lo, hi int) {
	move(c, ir.Data[T](dst), ir.Data[T](src), lo, hi)
}

func moveStrings(c *Copier, dst, src *ir.Tensor, lo, hi int) {
	move(c, dst.Strings(), src.Strings(), lo, hi)
}

// at returns the offsets of row or tile i along the outer axes.
func (c *Copier) at(i int, outer []axis) (dst, src int) {
	dst, src = c.dst, c.src
	for k := len(outer) - 1; k >= 0; k-- {
		p := i % outer[k].n
		i /= outer[k].n
		dst += p * outer[k].dst
		src += p * outer[k].src
	}
	return dst, src
}

// move copies rows lo to hi-1. It iterates over the innermost axis of rows, and computes the
// offsets along the other axes once for each pass.
func move[T any](c *Copier, dst, src []T, lo, hi int) {
	inner, outer := axis{n: 1}, c.outer
	if last := len(outer) - 1; last >= 0 {
		inner, outer = outer[last], outer[:last]
	}
	for lo < hi {
		d, s := c.at(lo/inner.n, outer)
		first := lo % inner.n
		count := min(inner.n-first, hi-lo)
		block(dst, src, d+first*inner.dst, s+first*inner.src, axis{count, inner.dst, inner.src}, c.row)
		lo += count
	}
}

// block copies rows of row.n elements. The first one starts at dst[d] and src[s].
func block[T any](dst, src []T, d, s int, rows, row axis) {
	switch n := row.n; {
	case n == 1 && rows.dst == 1 && rows.src == 1:
		copy(dst[d:][:rows.n], src[s:])
	case n == 1 && rows.dst == 1 && rows.src == 0:
		Fill(dst[d:][:rows.n], src[s])
	case n == 1:
		line(dst, src, d, s, rows)
	case row.dst == 1 && row.src == 1 && rows.src == 0 && rows.dst == n:
		repeat(dst[d:][:rows.n*n], src[s:][:n])
	case row.dst == 1 && row.src == 1 && rows.dst >= 0 && rows.src >= 0:
		Rows(dst[d:], src[s:], rows.n, n, rows.dst, rows.src)
	case row.dst == 1 && row.src == 1:
		for range rows.n {
			copy(dst[d:d+n], src[s:s+n])
			d, s = d+rows.dst, s+rows.src
		}
	case row.dst == 1 && row.src == 0:
		for range rows.n {
			Fill(dst[d:d+n], src[s])
			d, s = d+rows.dst, s+rows.src
		}
	default:
		for range rows.n {
			line(dst, src, d, s, row)
			d, s = d+rows.dst, s+rows.src
		}
	}
}

// line copies the elements of one axis.
func line[T any](dst, src []T, d, s int, a axis) {
	if a.dst == 1 {
		to := dst[d:][:a.n]
		for i := range to {
			to[i] = src[s]
			s += a.src
		}
		return
	}
	for range a.n {
		dst[d] = src[s]
		d, s = d+a.dst, s+a.src
	}
}

// Fill sets all of dst to v: the first elements in a loop, the rest by copying these.
func Fill[T any](dst []T, v T) {
	const few = 64
	for i := range dst[:min(len(dst), few)] {
		dst[i] = v
	}
	for done := few; done < len(dst); done *= 2 {
		copy(dst[done:], dst[:done])
	}
}

// repeat fills dst with copies of row. len(dst) must be a multiple of len(row). It copies what
// is already in dst, as long as that is small enough for the cache.
func repeat[T any](dst, row []T) {
	const many = 1 << 12
	done := copy(dst, row)
	for from := done; done < len(dst); {
		done += copy(dst[done:], dst[:from])
		if from < many {
			from = done
		}
	}
}
