package conv

const (
	vSize      = 160 << 10 // elements of V that stay in a second-level cache
	mSize      = 64 << 10  // elements of M of a panel, and of a group's, that stay there too
	fewTiles   = 14        // of a block, to multiply while a panel of U is at hand
	manyTiles  = 56        // the same where U is larger than the cache
	largestU   = 512 << 10
	channelRun = 16 // channels of an item of Transform

	itemsPerThread = 3 // at least, where there is enough to do
)

// cut sets the blocks.
func (w *Winograd) cut(threads int) {
	s := &w.shape
	elements := w.n * w.n
	tiles := max(vSize/elements/s.In, fewTiles)
	if elements*s.In > largestU/s.Out {
		tiles = max(tiles, manyTiles)
	}
	tiles = min(tiles, max(mSize/(elements*w.lanes), fewTiles))
	w.columnBlocks = ceilDiv(w.tilesX, max(tiles, 2*fewTiles))
	columns := ceilDiv(w.tilesX, w.columnBlocks)
	rows := s.Batch * w.tilesY
	w.rowBlocks = ceilDiv(rows, max(tiles/columns, 1))
	if threads > 1 {
		w.share(threads, rows, columns)
	}
	w.blockTiles = w.kernel.step(ceilDiv(rows, w.rowBlocks)*columns, columns)
	w.vStep = apart(s.In * w.blockTiles)
	w.group = 1
	if elements*s.In*w.blockTiles > 2*vSize {
		w.group = min(max(3*mSize/(elements*w.blockTiles*w.lanes), 1), w.panels)
	}
	if w.shared {
		w.group = max(min(w.group, w.panels*w.blocks()/(itemsPerThread*threads)), 1)
	}
}

// share sees to it that there is enough to do for each thread: more blocks, unless
// they were too small, or else blocks whose panels are shared.
func (w *Winograd) share(threads, rows, columns int) {
	few := fewTiles
	if w.n*w.n*w.shape.In <= largestU/w.shape.Out {
		few /= 2 // a panel of U stays at hand anyway
	}
	atMost := max(min(rows, rows*columns/few), w.rowBlocks)
	blocks := ceilDiv(max(w.blocks(), itemsPerThread*threads), threads) * threads
	rowBlocks := max(ceilDiv(blocks, w.columnBlocks), w.rowBlocks)
	if w.shared = rowBlocks > atMost; !w.shared {
		w.rowBlocks = rowBlocks
		return
	}
	// The fewest blocks of those that let the threads end at the same time.
	time := func(blocks int) int {
		return ceilDiv(blocks*w.columnBlocks*w.panels, threads) * ceilDiv(rows, blocks)
	}
	for blocks := w.rowBlocks + 1; blocks <= atMost && blocks <= 8*threads; blocks++ {
		if time(blocks) < time(w.rowBlocks) {
			w.rowBlocks = blocks
		}
	}
}

// block is a rectangle of tiles.
type block struct {
	row, rows       int // tile rows, counted through all images
	column, columns int
}

func (w *Winograd) block(i int) block {
	y, x := i/w.columnBlocks, i%w.columnBlocks
	rows := w.shape.Batch * w.tilesY
	b := block{row: y * rows / w.rowBlocks, column: x * w.tilesX / w.columnBlocks}
	b.rows = (y+1)*rows/w.rowBlocks - b.row
	b.columns = (x+1)*w.tilesX/w.columnBlocks - b.column
	return b
}

func (w *Winograd) blocks() int { return w.rowBlocks * w.columnBlocks }

func (w *Winograd) groups() int { return ceilDiv(w.panels, w.group) }

// vBlock returns the elements of V of a block.
func (w *Winograd) vBlock() int { return w.n * w.n * w.vStep }

// mBlock returns the elements of M of a group, of which one tile more may be read.
func (w *Winograd) mBlock() int { return w.group*w.n*w.n*w.mStep(w.blockTiles) + w.lanes }

// mStep returns the step of elements in M of a block.
func (w *Winograd) mStep(tiles int) int { return apart(tiles * w.lanes) }

// apart returns the step from one to the next of arrays of n elements so that the
// same place of all of them is in different sets of a cache: an odd number of lines.
func apart(n int) int {
	const line = 16
	return (ceilDiv(n, line) | 1) * line
}

// yBlock returns the elements of the outputs of a panel: rows are of whole columns of
// four.
func (w *Winograd) yBlock() int { return w.lanes * apart(w.tile*w.tile*2*w.blockTiles) }
