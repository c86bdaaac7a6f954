package lowbit

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/parallel"
)

// SpanRows is the number of rows of b whose products with integers are added as integers.
const SpanRows = 32

// SpansOf reports whether MultiplySpans computes products with codes of a format, for rows of x
// that are rounded in groups of the given length: this machine must have the instructions, a group
// must consist of spans, and groups of b of groups of x. Codes of one group may have any depth.
func SpansOf(f *Format, depth, groups, group int) bool {
	return hasSpans() && f.Table == nil && f.Float == Integer && group > 0 && group%SpanRows == 0 && group <= MaxSpanGroup && (groups == 1 || depth/groups%group == 0)
}

// MaxSpanGroup is the largest number of elements of x that are rounded together.
const MaxSpanGroup = 1 << 10

// spanFactors is the number of float32 that a rounded row has for each span: the scale of its
// integers, and their sum.
const spanFactors = 2

// SpansBytes returns the bytes of a rounded row of x.
func (l *Layout) SpansBytes() int { return l.Padded() + 4*spanFactors*(l.Padded()/SpanRows) }

// RoundRow rounds a row of x to integers of 8 bits, group elements at a time, which is at most
// about 1/250 of the largest of them away. dst has SpansBytes bytes, and is aligned for float32. A
// group with an infinity or NaN has the scale NaN.
func (l *Layout) RoundRow(dst []byte, x []float32, group int) {
	codes, factors := dst[:l.Padded()], cast.Bytes[float32](dst[l.Padded():])
	whole := l.depth / group * group
	l.round(codes[:whole], factors, x[:whole], group)
	for at := whole; at < len(codes); at += group {
		var padded [MaxSpanGroup]float32
		n := min(group, len(codes)-at)
		copy(padded[:n], x[min(at, l.depth):l.depth])
		l.round(codes[at:at+n], factors[at/SpanRows*spanFactors:], padded[:n], n)
	}
}

// MultiplySpans is Multiply for rows that RoundRow has written, each stride bytes after the one
// before. The products of a span are exact, and the codes must be packed by a Layout with
// Format.Spans.
func (m *Matrix) MultiplySpans(stop parallel.Stop, c []float32, ldc int, x []byte, stride, rows, lo, hi int) {
	var sums [maxSpanTile * Columns]float32
	for block := lo; block < hi && !stop.Requested(); block++ {
		first := block * Columns
		count := min(Columns, m.n-first)
		for i := 0; i < rows; {
			tile := spanTile(rows - i)
			clear(sums[:tile*Columns])
			if m.addSpans(stop, &sums, x[i*stride:], stride, tile, block); stop.Requested() {
				return
			}
			for row := range tile {
				copy(c[(i+row)*ldc+first:][:count], sums[row*Columns:])
			}
			i += tile
		}
	}
}

// maxSpanTile is the largest number of rows of x that are multiplied at a time.
const maxSpanTile = 6

// spanTile returns the number of rows that are multiplied at a time if some are left: the largest
// one that they fill.
func spanTile(left int) int {
	for _, rows := range spanTiles {
		if rows <= left && spanColumns(rows) > 0 {
			return rows
		}
	}
	return 1
}
