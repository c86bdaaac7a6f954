package implicit

import (
	"github.com/vinoir/vinoir/internal/conv"
)

// box is a block of outputs that are computed together. A column of a box is one spatial
// position of the output, with all its channels. The columns belong to whole images or to a part
// of one image. They lie in a region of the output plane, which starts at corner.
type box struct {
	image, images int    // the first image and the number of images
	corner        [3]int // first output of the region along each axis
	lengths       [3]int // outputs of the region along each axis
	column        int    // index in the region of the first column
	columns       int    // of all images together
	at            int    // index in the output plane of the first column
}

// grid divides the outputs into boxes. A box consists of several images, or it is a part of a
// slab, which holds the outputs along the inner axes for one position along the outer axes.
type grid struct {
	output  [3]int
	batch   int
	images  int // of a box; 1 if boxes are parts of slabs
	level   int // the first of the inner axes
	slabs   int // of an image
	slab    int // outputs of a slab
	columns int // of a box, at most
	perSlab int // boxes of a slab, or all boxes if they have several images
}

// columnUnit is the number of columns that slabs are cut at multiples of, unless few columns
// remain. The widths of micro-kernels are multiples of it too.
const columnUnit = 8

// newGrid divides the outputs of batch images into boxes that have about the given number of
// columns. If possible, the number of boxes is a multiple of the argument multiple. few reports for
// which numbers of columns the last ones, which fill no vector, cost no more than they are.
func newGrid(walks *[3]walk, batch, columns, multiple int, few func(columns int) bool) grid {
	g := grid{batch: batch, images: 1, slabs: 1, slab: 1}
	for i := range walks {
		g.output[i] = walks[i].output
		g.slab *= walks[i].output
	}
	if g.slab == 0 || batch == 0 {
		return grid{}
	}
	// If the inner axes have enough columns for two boxes, a slab has one position of the next
	// outer axis.
	for g.level < 2 && (g.output[g.level] == 1 || g.slab/g.output[g.level] >= 2*columns) {
		g.slabs *= g.output[g.level]
		g.slab /= g.output[g.level]
		g.level++
	}
	if g.slabs == 1 && g.slab <= columns/2 && batch > 1 {
		if g.images = conv.CeilDiv(batch, partCount(batch, columns/g.slab, multiple)); g.images > 1 {
			g.level = 0
			g.columns = g.images * g.slab
			g.perSlab = conv.CeilDiv(batch, g.images)
			return g
		}
	}
	units := conv.CeilDiv(g.slab, columnUnit)
	boxes := partCount(units, max(columns/columnUnit, 1), slabMultiple(multiple, g.slabs*batch))
	if g.columns = conv.CeilDiv(g.slab, boxes); !few(g.columns) {
		g.columns = conv.CeilDiv(units, boxes) * columnUnit
	}
	g.perSlab = conv.CeilDiv(g.slab, g.columns)
	return g
}

// partCount returns the number of parts that n items are divided into, so that no part has more
// than most items. The number is rounded up to a multiple of the argument multiple, but it is
// never larger than n.
func partCount(n, most, multiple int) int {
	parts := conv.CeilDiv(n, most)
	if parts = conv.CeilDiv(parts, multiple) * multiple; parts > n {
		return n
	}
	return parts
}

// slabMultiple returns the number that the boxes of one of n slabs have to be a multiple of. It
// is 1 if n is a multiple already, or so large that the remainder hardly counts.
func slabMultiple(multiple, n int) int {
	if n%multiple == 0 || n >= 8*multiple {
		return 1
	}
	return multiple
}

// boxes returns the number of boxes.
func (g *grid) boxes() int {
	if g.images > 1 {
		return g.perSlab
	}
	return g.batch * g.slabs * g.perSlab
}

// maxLengths returns the lengths of the largest region of a box.
func (g *grid) maxLengths() [3]int {
	n := [3]int{1, 1, 1}
	inner := 1
	for i := 2; i >= g.level; i-- {
		n[i] = g.output[i]
		if i == g.level && g.images == 1 {
			n[i] = min(n[i], (g.columns+inner-2)/inner+1)
		}
		inner *= g.output[i]
	}
	return n
}

// box returns box i.
func (g *grid) box(i int) box {
	if g.images > 1 {
		b := box{image: i * g.images, lengths: g.output}
		b.images = min(g.images, g.batch-b.image)
		b.columns = b.images * g.slab
		return b
	}
	first, slab := i%g.perSlab*g.columns, i/g.perSlab
	b := box{image: slab / g.slabs, images: 1, columns: min(g.columns, g.slab-first)}
	slab %= g.slabs
	b.at = slab*g.slab + first
	for axis := g.level - 1; axis >= 0; axis-- {
		b.corner[axis], b.lengths[axis] = slab%g.output[axis], 1
		slab /= g.output[axis]
	}
	inner := g.slab
	for axis := g.level; axis < 3; axis++ {
		b.lengths[axis] = g.output[axis]
		inner /= g.output[axis]
		if axis == g.level {
			b.corner[axis] = first / inner
			b.lengths[axis] = (first+b.columns-1)/inner + 1 - b.corner[axis]
			b.column = first - b.corner[axis]*inner
		}
	}
	return b
}
