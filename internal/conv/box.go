package conv

// box is a block of columns: outputs of whole images, or of a part of one.
type box struct {
	image, images int
	corner        [3]int // the first output along each axis of what the columns lie in
	lengths       [3]int // the outputs along each axis from there on
	column        int    // the first column, counted in images from corner on
	columns       int
	at            int // the first column in the output plane
}

// grid is how the outputs are cut into boxes.
type grid struct {
	output  [3]int
	batch   int
	images  int // in a box; 1 where planes are cut into columns
	level   int // the axes from here on are cut into columns, those before it one by one
	slabs   int // along the axes before level
	slab    int // outputs from level on
	columns int // in a box
	perSlab int // boxes
}

// columnUnit is what planes are cut by: micro-kernels have multiples of so many
// columns.
const columnUnit = 8

// newGrid cuts outputs into boxes of about columns. The number of boxes is a multiple
// of share if it can be.
func newGrid(walks *[3]walk, batch, columns, share int) grid {
	g := grid{batch: batch, images: 1, slabs: 1, slab: 1}
	for i := range walks {
		g.output[i] = walks[i].output
		g.slab *= walks[i].output
	}
	if g.slab == 0 || batch == 0 {
		return grid{}
	}
	// Many columns along the inner axes alone need no more than a part of those.
	for g.level < 2 && (g.output[g.level] == 1 || g.slab/g.output[g.level] >= 2*columns) {
		g.slabs *= g.output[g.level]
		g.slab /= g.output[g.level]
		g.level++
	}
	if g.slabs == 1 && g.slab <= columns/2 && batch > 1 {
		if g.images = ceilDiv(batch, evenly(batch, columns/g.slab, share)); g.images > 1 {
			g.level = 0
			g.columns = g.images * g.slab
			g.perSlab = ceilDiv(batch, g.images)
			return g
		}
	}
	units := ceilDiv(g.slab, columnUnit)
	boxes := evenly(units, max(columns/columnUnit, 1), shareOf(share, g.slabs*batch))
	g.columns = ceilDiv(units, boxes) * columnUnit
	g.perSlab = ceilDiv(g.slab, g.columns)
	return g
}

// evenly returns in how many parts of at most most n items are cut, a multiple of
// share where there are several and as many items.
func evenly(n, most, share int) int {
	parts := ceilDiv(n, most)
	if parts = ceilDiv(parts, share) * share; parts > n {
		return n
	}
	return parts
}

// shareOf returns what the number of boxes of each of n slabs has to be a multiple
// of.
func shareOf(share, n int) int {
	if n%share == 0 || n >= 8*share {
		return 1
	}
	return share
}

// boxes returns the number of boxes.
func (g *grid) boxes() int {
	if g.images > 1 {
		return g.perSlab
	}
	return g.batch * g.slabs * g.perSlab
}

// most returns the lengths of the largest box.
func (g *grid) most() [3]int {
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
