package strided

import (
	"unsafe"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// tiles describes the transposition of a plane of two axes in tiles: adjacent elements along k
// are contiguous in src, and those along l are contiguous in dst. A tile covers few enough
// cache lines to stay in the cache while it is moved.
type tiles struct {
	k, l           axis
	kTile, lTile   int
	kTiles, lTiles int
}

const (
	// kTileBytes and lTileBytes are the lengths of a tile in bytes.
	kTileBytes, lTileBytes = 64, 256
	// Rows whose distance is a multiple of farBytes compete for the same set of a cache. A tile
	// then has at most setRows of them in dst.
	farBytes, setRows = 1024, 8
	// narrow is the greatest length of a short axis. If one axis is short, the other one is
	// divided into tiles of narrowTile elements.
	narrow, narrowTile = 4, 512
)

// planTiles divides axes into tiles if the last axis is contiguous in dst and another one is
// contiguous in src. Otherwise it returns false.
func (c *Copier) planTiles(axes []axis, size int) bool {
	last := len(axes) - 1
	if axes[last].dst != 1 || axes[last].src < 2 {
		return false
	}
	at := -1
	for k, a := range axes[:last] {
		if a.src == 1 && a.dst > 0 {
			at = k
		}
	}
	if at < 0 {
		return false
	}
	t := &c.tiles
	t.k, t.l = axes[at], axes[last]
	t.kTile, t.lTile = kTileBytes/size, lTileBytes/size
	if t.k.dst*size%farBytes == 0 {
		t.kTile = min(t.kTile, setRows)
	}
	if t.l.n <= narrow {
		t.kTile = narrowTile
	}
	if t.k.n <= narrow {
		t.lTile = narrowTile
	}
	t.kTiles, t.lTiles = (t.k.n-1)/t.kTile+1, (t.l.n-1)/t.lTile+1
	c.Rows = t.kTiles * t.lTiles
	for k, a := range axes[:last] {
		if k != at {
			c.outer = append(c.outer, a)
			c.Rows *= a.n
		}
	}
	c.Grain = ops.Grain(byteCost * float64(min(t.k.n, t.kTile)*min(t.l.n, t.lTile)*size))
	return true
}

// each calls f with the offsets and the lengths of tiles lo to hi-1. If a plane is one tile, it
// iterates over the innermost of the other axes, as move does for rows.
func (c *Copier) each(lo, hi int, f func(d, s, k, l int)) {
	t := &c.tiles
	if last := len(c.outer) - 1; last >= 0 && t.kTiles*t.lTiles == 1 {
		inner := c.outer[last]
		for lo < hi {
			d, s := c.at(lo/inner.n, c.outer[:last])
			first := lo % inner.n
			count := min(inner.n-first, hi-lo)
			d, s = d+first*inner.dst, s+first*inner.src
			for range count {
				f(d, s, t.k.n, t.l.n)
				d, s = d+inner.dst, s+inner.src
			}
			lo += count
		}
		return
	}
	for ; lo < hi; lo++ {
		k := lo / t.lTiles % t.kTiles * t.kTile
		l := lo % t.lTiles * t.lTile
		d, s := c.at(lo/t.lTiles/t.kTiles, c.outer)
		f(d+k*t.k.dst+l, s+k+l*t.l.src, min(t.k.n-k, t.kTile), min(t.l.n-l, t.lTile))
	}
}

func tileData[T ir.Element](c *Copier, dst, src *ir.Tensor, lo, hi int) {
	tile(c, ir.Data[T](dst), ir.Data[T](src), lo, hi)
}

func tileStrings(c *Copier, dst, src *ir.Tensor, lo, hi int) {
	tile(c, dst.Strings(), src.Strings(), lo, hi)
}

// tile transposes tiles lo to hi-1:
//
//	for each k, l of a tile: dst[d+k*t.k.dst+l] = src[s+k+l*t.l.src]
func tile[T any](c *Copier, dst, src []T, lo, hi int) {
	t := &c.tiles
	c.each(lo, hi, func(d, s, kn, ln int) {
		transpose(dst, src, d, s, axis{kn, t.k.dst, 1}, axis{ln, 1, t.l.src})
	})
}

// transpose moves one tile element by element.
func transpose[T any](dst, src []T, d, s int, k, l axis) {
	switch {
	case k.n == 2:
		row0, row1 := dst[d:][:l.n], dst[d+k.dst:][:l.n]
		for i := range row0 {
			from := src[s : s+2 : s+2]
			row0[i], row1[i] = from[0], from[1]
			s += l.src
		}
	case l.n == 2:
		row0, row1 := src[s:][:k.n], src[s+l.src:][:k.n]
		for i, v := range row0 {
			to := dst[d : d+2 : d+2]
			to[0], to[1] = v, row1[i]
			d += k.dst
		}
	case k.n == 3:
		row0, row1, row2 := dst[d:][:l.n], dst[d+k.dst:][:l.n], dst[d+2*k.dst:][:l.n]
		for i := range row0 {
			from := src[s : s+3 : s+3]
			row0[i], row1[i], row2[i] = from[0], from[1], from[2]
			s += l.src
		}
	case l.n == 3:
		row0, row1, row2 := src[s:][:k.n], src[s+l.src:][:k.n], src[s+2*l.src:][:k.n]
		for i, v := range row0 {
			to := dst[d : d+3 : d+3]
			to[0], to[1], to[2] = v, row1[i], row2[i]
			d += k.dst
		}
	case k.n == 4:
		row0, row1, row2, row3 := dst[d:][:l.n], dst[d+k.dst:][:l.n], dst[d+2*k.dst:][:l.n], dst[d+3*k.dst:][:l.n]
		for i := range row0 {
			from := src[s : s+4 : s+4]
			row0[i], row1[i], row2[i], row3[i] = from[0], from[1], from[2], from[3]
			s += l.src
		}
	case l.n == 4:
		row0, row1, row2, row3 := src[s:][:k.n], src[s+l.src:][:k.n], src[s+2*l.src:][:k.n], src[s+3*l.src:][:k.n]
		for i, v := range row0 {
			to := dst[d : d+4 : d+4]
			to[0], to[1], to[2], to[3] = v, row1[i], row2[i], row3[i]
			d += k.dst
		}
	case k.n > narrow:
		for range l.n {
			to := d
			for _, v := range src[s:][:k.n] {
				dst[to] = v
				to += k.dst
			}
			d, s = d+1, s+l.src
		}
	default:
		for range k.n {
			row, from := dst[d:][:l.n], s
			for i := range row {
				row[i] = src[from]
				from += l.src
			}
			d, s = d+k.dst, s+1
		}
	}
}

// tileSmall is tile for elements of at most 4 bytes. It transposes them in squares of 8-byte
// words or of vectors, and the rest one by one.
func tileSmall[T uint8 | uint16 | uint32](c *Copier, dst, src *ir.Tensor, lo, hi int) {
	t, size := &c.tiles, int(unsafe.Sizeof(T(0)))
	to, from := ir.Data[T](dst), ir.Data[T](src)
	c.each(lo, hi, func(d, s, kn, ln int) {
		k, l := 0, 0 // the lengths that squares has moved
		if min(kn, ln) > narrow {
			p := plane{axis{kn, t.k.dst * size, 8}, axis{ln, 8, t.l.src * size}}
			k, l = squares(dst.Bytes()[size*d:], src.Bytes()[size*s:], p, size)
		}
		if l < ln {
			transpose(to, from, d+l, s+l*t.l.src, axis{kn, t.k.dst, 1}, axis{ln - l, 1, t.l.src})
		}
		if k < kn && l > 0 {
			transpose(to, from, d+k*t.k.dst, s+k, axis{kn - k, t.k.dst, 1}, axis{l, 1, t.l.src})
		}
	})
}

// squares transposes the part of a plane that consists of whole squares, and returns its
// lengths; 0, 0 if there is none. The lengths of p are in elements of size bytes.
func squares(dst, src []byte, p plane, size int) (k, l int) {
	if k, l = p.k.n&^(side-1), p.l.n&^(side-1); size == 4 && k > 0 && l > 0 {
		if vectorSquares(dst, src, plane{axis{k, p.k.dst, 0}, axis{l, 0, p.l.src}}) {
			return k, l
		}
	}
	word := 8 / size
	k, l = p.k.n&^(word-1), p.l.n&^(word-1)
	if k == 0 || l == 0 {
		return 0, 0
	}
	p.k.n, p.l.n = k/word, l/word
	switch size {
	case 1:
		squares1(dst, src, p)
	case 2:
		squares2(dst, src, p)
	default:
		squares4(dst, src, p)
	}
	return k, l
}
