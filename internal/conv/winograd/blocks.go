package winograd

import (
	"github.com/vinoir/vinoir/internal/conv"
)

const (
	vSize      = 160 << 10 // elements of V that stay in a second-level cache
	mSize      = 64 << 10  // elements of M of one panel that stay there too
	fewTiles   = 14        // fewest tiles of a block, to make use of a panel of U in the cache
	manyTiles  = 56        // the same if U is larger than largestU
	largestU   = 512 << 10 // elements of U that stay in the cache
	channelRun = 16        // channels of an item of Transform

	itemsPerThread = 3 // fewest items for each thread, if there is enough work
)

// setBlocks divides the tiles into blocks, and the panels into groups.
func (w *Plan) setBlocks(threads int) {
	s := &w.shape
	elements := w.n * w.n
	tiles := max(vSize/elements/s.In, fewTiles)
	if elements*s.In > largestU/s.Out {
		tiles = max(tiles, manyTiles)
	}
	tiles = min(tiles, max(mSize/(elements*w.lanes), fewTiles))
	w.columnBlocks = conv.CeilDiv(w.tilesX, max(tiles, 2*fewTiles))
	columns := conv.CeilDiv(w.tilesX, w.columnBlocks)
	rows := s.Batch * w.tilesY
	w.rowBlocks = conv.CeilDiv(rows, max(tiles/columns, 1))
	if threads > 1 {
		w.splitForThreads(threads, rows, columns)
	}
	w.blockTiles = w.kernel.channelStep(conv.CeilDiv(rows, w.rowBlocks)*columns, columns)
	w.vStep = oddLines(s.In * w.blockTiles)
	w.group = 1
	if elements*s.In*w.blockTiles > 2*vSize {
		w.group = min(max(3*mSize/(elements*w.blockTiles*w.lanes), 1), w.panels)
	}
	if w.shared {
		w.group = max(min(w.group, w.panels*w.blocks()/(itemsPerThread*threads)), 1)
	}
}

// splitForThreads provides enough work for each thread. It makes more blocks. If these were too
// small, it sets shared instead, so that the groups of panels of a block are items of their own.
func (w *Plan) splitForThreads(threads, rows, columns int) {
	few := fewTiles
	if w.n*w.n*w.shape.In <= largestU/w.shape.Out {
		few /= 2 // U stays in the cache anyway
	}
	atMost := max(min(rows, rows*columns/few), w.rowBlocks)
	blocks := conv.CeilDiv(max(w.blocks(), itemsPerThread*threads), threads) * threads
	rowBlocks := max(conv.CeilDiv(blocks, w.columnBlocks), w.rowBlocks)
	if w.shared = rowBlocks > atMost; !w.shared {
		w.rowBlocks = rowBlocks
		return
	}
	// Of the numbers of blocks with the shortest time, take the smallest.
	time := func(blocks int) int {
		return conv.CeilDiv(blocks*w.columnBlocks*w.panels, threads) * conv.CeilDiv(rows, blocks)
	}
	for blocks := w.rowBlocks + 1; blocks <= atMost && blocks <= 8*threads; blocks++ {
		if time(blocks) < time(w.rowBlocks) {
			w.rowBlocks = blocks
		}
	}
}

// block is a rectangle of tiles.
type block struct {
	row, rows       int // rows of tiles, counted through all images
	column, columns int
}

// block returns block i.
func (w *Plan) block(i int) block {
	y, x := i/w.columnBlocks, i%w.columnBlocks
	rows := w.shape.Batch * w.tilesY
	b := block{row: y * rows / w.rowBlocks, column: x * w.tilesX / w.columnBlocks}
	b.rows = (y+1)*rows/w.rowBlocks - b.row
	b.columns = (x+1)*w.tilesX/w.columnBlocks - b.column
	return b
}

// blocks returns the number of blocks.
func (w *Plan) blocks() int { return w.rowBlocks * w.columnBlocks }

// groups returns the number of groups of panels.
func (w *Plan) groups() int { return conv.CeilDiv(w.panels, w.group) }

// vBlock returns the number of elements of V for a block.
func (w *Plan) vBlock() int { return w.n * w.n * w.vStep }

// mBlock returns the number of elements of M for a block and a group of panels. It includes one
// more tile, which the output transform may read.
func (w *Plan) mBlock() int { return w.group*w.n*w.n*w.mStep(w.blockTiles) + w.lanes }

// mStep returns the distance between transform elements in M for a block of the given tiles.
func (w *Plan) mStep(tiles int) int { return oddLines(tiles * w.lanes) }

// oddLines returns n elements rounded up to an odd number of cache lines. In arrays at this
// distance, elements with the same index are in different sets of a cache.
func oddLines(n int) int {
	const line = 16
	return (conv.CeilDiv(n, line) | 1) * line
}

// yBlock returns the number of elements of the outputs of a panel. The factor 2 leaves space for
// rows that are rounded up to four columns.
func (w *Plan) yBlock() int { return w.lanes * oddLines(w.tile*w.tile*2*w.blockTiles) }
