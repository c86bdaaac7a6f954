// Package normalize helps layers that normalise data along some axes: it cuts data into
// blocks that know nothing of each other, and hands these to the layer's computation
// in float32 or float64.
package normalize

import (
	"github.com/vinoir/vinoir/ir"
)

// Layout is data as blocks. A block has rows of contiguous elements: either its
// elements are all reduced to one number, or each column of it is.
//
//	axes [1,2] of [N,C,W]   N blocks of 1 row of C*W elements, reduced to one number
//	axes [0,2] of [N,C,W]   C blocks of N rows of W elements, reduced to one number
//	axes [1]   of [N,C,W]   N blocks of C rows of W columns, cut at some column
type Layout struct {
	Blocks, Rows, RowLength int
	// PerColumn reports whether each of the RowLength columns is reduced to a number of its own.
	PerColumn bool
	// tile is the number of columns of a block that are computed at a time; RowLength
	// if there are no columns. tiles is how many there are of them.
	tile, tiles int
	kept        []axis // that tell blocks apart, the innermost first
	reduced     []axis // that tell rows apart, the innermost first
}

// axis is a group of neighbouring axes of data.
type axis struct{ n, stride int }

// tileElements is the number of elements of a block of columns: they stay in the
// cache of a core from one step of the computation to the next. A tile has at least
// minTile columns.
const (
	tileElements = 1 << 15
	minTile      = 256
)

// NewLayout returns the layout of data of a shape that is normalised along the axes of set;
// threads may share its columns.
func NewLayout(shape ir.Shape, set []bool, threads int) Layout {
	l := Layout{Blocks: 1, Rows: 1, RowLength: 1, tile: 1, tiles: 1}
	if shape.Elements() == 0 {
		l.Blocks = 0
		return l
	}
	groups, kinds := group(shape, set)
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
			// Enough tiles to share.
			l.tile = min(l.tile, max(l.RowLength/(4*threads), minTile))
		}
		l.tile = min(l.tile, l.RowLength)
		l.tiles = (l.RowLength + l.tile - 1) / l.tile
	}
	return l
}

// dense reports whether blocks are single rows that follow one another.
func (l *Layout) dense() bool {
	return !l.PerColumn && l.Rows == 1 && (len(l.kept) == 0 || len(l.kept) == 1 && l.kept[0].stride == l.RowLength)
}

// ElementBlocks returns the layout of l's elements, which are columns of one row, as blocks
// of one element each.
func ElementBlocks(l Layout) Layout {
	n := l.Blocks * l.Rows * l.RowLength
	return Layout{Blocks: n, Rows: 1, RowLength: 1, tile: 1, tiles: 1, kept: []axis{{n, 1}}}
}

// group joins neighbouring axes of one kind, reduced or kept, the innermost first.
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
		// One element, which is its own mean if no axis is reduced as well.
		groups, reduced = []axis{{1, 1}}, []bool{true}
	}
	return groups, reduced
}

// offset returns where position i along axes starts.
func offset(axes []axis, i int) int {
	at := 0
	for _, a := range axes {
		at += i % a.n * a.stride
		i /= a.n
	}
	return at
}

// AxisMask returns which of rank axes are named, negative ones counted from the back;
// false where one is outside.
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
