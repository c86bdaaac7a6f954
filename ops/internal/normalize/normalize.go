// Package normalize is the framework of layers that normalise data along some axes. It divides
// the data into blocks that are independent of each other, and calls the layer's code for each
// block in float32 or float64.
package normalize

import (
	"github.com/vinoir/vinoir/ir"
)

// Layout describes data as blocks. A block has rows of contiguous elements. Either all its
// elements are reduced to one number, or each of its columns is.
//
//	axes [1,2] of [N,C,W]   N blocks of 1 row of C*W elements, reduced to one number
//	axes [0,2] of [N,C,W]   C blocks of N rows of W elements, reduced to one number
//	axes [1]   of [N,C,W]   N blocks of C rows of W columns, divided into tiles of columns
type Layout struct {
	Blocks, Rows, RowLength int
	// PerColumn is true if each of the RowLength columns is reduced to a number of its own.
	PerColumn bool
	// tile is the number of columns of a block that are computed at a time. It is RowLength if
	// PerColumn is false. tiles is the number of tiles of a block.
	tile, tiles int
	kept        []axis // axes that distinguish the blocks, innermost first
	reduced     []axis // axes that distinguish the rows of a block, innermost first
}

// axis is a group of adjacent axes of the data.
type axis struct{ n, stride int }

// tileElements is the number of elements of a tile, which stays in the cache of a core from one
// step of the computation to the next. A tile has at least minTile columns.
const (
	tileElements = 1 << 15
	minTile      = 256
)

// NewLayout returns the layout of data of the given shape that is normalised along the axes for
// which reduced is true. threads is the number of threads that may share the columns.
func NewLayout(shape ir.Shape, reduced []bool, threads int) Layout {
	l := Layout{Blocks: 1, Rows: 1, RowLength: 1, tile: 1, tiles: 1}
	if shape.Elements() == 0 {
		l.Blocks = 0
		return l
	}
	groups, kinds := group(shape, reduced)
	for i, g := range groups {
		switch {
		case i == 0:
			l.RowLength, l.PerColumn = g.n, !kinds[i]
		case kinds[i]:
			l.Rows *= g.n
			l.reduced = append(l.reduced, g)
		default:
			l.Blocks *= g.n
			l.kept = append(l.kept, g)
		}
	}
	l.tile, l.tiles = l.RowLength, 1
	if l.PerColumn && l.RowLength > minTile {
		l.tile = max(tileElements/max(l.Rows, 1), minTile)
		if l.Blocks < threads {
			// Enough tiles for all threads.
			l.tile = min(l.tile, max(l.RowLength/(4*threads), minTile))
		}
		l.tile = min(l.tile, l.RowLength)
		l.tiles = (l.RowLength + l.tile - 1) / l.tile
	}
	return l
}

// dense reports whether blocks are single rows without gaps between them.
func (l *Layout) dense() bool {
	return !l.PerColumn && l.Rows == 1 && (len(l.kept) == 0 || len(l.kept) == 1 && l.kept[0].stride == l.RowLength)
}

// ElementBlocks returns the layout of the same elements as blocks of one element each. l must
// have columns of one row.
func ElementBlocks(l Layout) Layout {
	n := l.Blocks * l.Rows * l.RowLength
	return Layout{Blocks: n, Rows: 1, RowLength: 1, tile: 1, tiles: 1, kept: []axis{{n, 1}}}
}

// group joins adjacent axes that are both reduced or both kept, innermost first. reduced holds
// which of the groups are reduced.
func group(shape ir.Shape, set []bool) (groups []axis, reduced []bool) {
	stride := 1
	for i := len(shape) - 1; i >= 0; i-- {
		n := shape[i]
		k := len(groups) - 1
		switch {
		case n == 1:
		case k >= 0 && reduced[k] == set[i]:
			groups[k].n *= n
		default:
			groups, reduced = append(groups, axis{n, stride}), append(reduced, set[i])
		}
		stride *= n
	}
	if len(groups) == 0 {
		// The only element is its own mean even if no axis is reduced.
		groups, reduced = []axis{{1, 1}}, []bool{true}
	}
	return groups, reduced
}

// offset returns the offset of position i along axes. It is not inlined: its callers would be 8.4
// KiB larger.
//
//go:noinline
func offset(axes []axis, i int) int {
	at := 0
	for _, a := range axes {
		at += i % a.n * a.stride
		i /= a.n
	}
	return at
}

// AxisMask returns, for each of rank axes, whether axes names it. Negative axes count from the
// last one. It returns false if an axis is out of range.
func AxisMask(axes []int64, rank int) ([]bool, bool) {
	set := make([]bool, rank)
	for _, a := range axes {
		if a < 0 {
			a += int64(rank)
		}
		if a < 0 || a >= int64(rank) {
			return nil, false
		}
		set[a] = true
	}
	return set, true
}
