package pack

import (
	"github.com/vinoir/vinoir/internal/cast"
)

// QuadsOf returns the number of quads that hold n elements of the depth. The last one may have
// elements left.
func QuadsOf(n int) int { return (n + QuadSize() - 1) / QuadSize() }

// SetQuads sets dst to the quads of lines of src, which have depth bytes each, less zero. What is
// left of the last quad of a line becomes 0. Where QuadSize is 4, zero is 0 or 128.
func SetQuads(dst []Quad, src []uint8, depth int, zero uint8) {
	size := QuadSize()
	if depth%size == 0 {
		depth = len(src) // one line
	}
	quads := (depth + size - 1) / size
	for len(src) > 0 {
		line, from := dst[:quads], src[:depth]
		dst, src = dst[quads:], src[depth:]
		if size == 2 {
			WidenBytes(cast.Slice[Word](line), from, zero)
			continue
		}
		to := cast.Memory(line)
		for i := copy(to, from); i < len(to); i++ {
			to[i] = zero
		}
		if zero > 0 {
			FlipQuads(line, Flips(zero))
		}
	}
}

// SetQuadColumns is SetQuads for n columns of src, whose rows are stride bytes apart: row i of dst
// has the quads of rows i*QuadSize and below. Rows of dst are ldd quads apart.
func SetQuadColumns(dst []Quad, ldd int, src []uint8, stride, n, depth int, zero uint8) {
	size := QuadSize()
	for p := 0; p < depth; p += size {
		to, from := dst[p/size*ldd:][:n], src[p*stride:]
		count := min(size, depth-p)
		if count == size {
			var rows [4][]uint8
			for i := range size {
				rows[i] = from[i*stride:][:n]
			}
			QuadRows(to, &rows, zero, size)
			continue
		}
		for j := range to {
			quad := uint32(0)
			for i := range count {
				element := uint32(from[i*stride+j]) - uint32(zero)
				if size == 2 {
					quad |= element & 0xffff << (16 * i)
				} else {
					quad |= element & 0xff << (8 * i)
				}
			}
			to[j] = QuadOf(quad)
		}
	}
}

// QuadRows sets quad i of dst to element i of each of the first size rows: bytes that are combined
// with zero by exclusive or, or, if size is 2, i16, less zero.
func QuadRows(dst []Quad, rows *[4][]uint8, zero uint8, size int) {
	i := quadVectors(dst, rows, zero, size)
	if size == 2 {
		for ; i < len(dst); i++ {
			dst[i] = Quad(WordOf(int16(rows[0][i])-int16(zero), int16(rows[1][i])-int16(zero)))
		}
		return
	}
	for ; i < len(dst); i++ {
		quad := uint32(rows[0][i]) | uint32(rows[1][i])<<8 | uint32(rows[2][i])<<16 | uint32(rows[3][i])<<24
		dst[i] = QuadOf(quad ^ Flips(zero))
	}
}

// RowsOfQuads returns n elements of each of the rows of a quad, which are stride elements apart in
// src. Those without a row are elements of the last one, as they are multiplied by 0.
func RowsOfQuads(src []uint8, stride, rows, n int) (of [4][]uint8) {
	for i := range of {
		of[i] = src[min(i, rows-1)*stride:][:n]
	}
	return of
}

// PanelQuads is the number of columns of the panels of QuadPanel.
const PanelQuads = 32

// HasQuadPanels reports whether there is assembly for QuadPanel.
func HasQuadPanels() bool { return hasQuadPanels() }

// QuadPanel packs a panel of quads from rows of bytes: row p of the panel has the quads of rows 4*p
// to 4*p+3 of src. Those without a row are elements of the last one, as they are multiplied by 0.
// Rows of src are stride elements apart. Columns from the given number on are undefined; it is at
// most PanelQuads. HasQuadPanels must be true.
func QuadPanel(panel []Quad, src []uint8, stride, rows, columns int) {
	quads := rows / 4
	quadPanelVectors(panel, src, stride, quads, columns)
	if last := rows % 4; last > 0 {
		from := RowsOfQuads(src[4*quads*stride:], stride, last, columns)
		QuadRows(panel[quads*PanelQuads:][:columns], &from, 0, 4)
	}
}

// FlipQuads combines each quad with flip by exclusive or.
func FlipQuads(quads []Quad, flip uint32) {
	for i := flipVectors(quads, flip); i < len(quads); i++ {
		quads[i] = QuadOf(Bits(quads[i]) ^ flip)
	}
}

// Flips returns b for each byte of a quad. Bytes that are combined with 128 by exclusive or are
// less 128.
func Flips(b uint8) uint32 { return uint32(b) * 0x01010101 }
