package winograd

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/conv/magnitude"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/parallel"
)

// The outputs of a tile share sums, and so each has rounding errors that are relative to the
// largest input of the tile, even if its own window does not cover that input. Therefore a tile is
// computed directly, as the sum of the products of each window, if
//
//   - its largest input is not finite, or so large that a sum could overflow,
//   - its largest input is not 0, but so small that the transform loses digits,
//   - or the magnitudes of its input differ too much.
//
// The magnitude of a position is its largest absolute value of all channels. The largest magnitude
// of a tile must be at most 2^windowBits times the largest one of each of its windows, and
// 2^positionBits times each magnitude that is not 0. The latter is for filters with elements that
// are 0 or very small: the largest input then hardly counts, although the window covers it. If a
// window consists of zeros, only its own output is corrected: it is the bias. RATIONALE.md has the
// resulting bound of the errors.
//
// Magnitudes are kept as the bits of a float32 without its sign. Such numbers have the order
// of the values, with infinity and then NaN above all others.

const (
	windowBits   = 6 // activations of networks stay below a fifth of this ratio
	positionBits = 12

	exponentBit = 1 << 23 // of the bits of a float32
	// smallestInput is 2^-110. The smallest normal number is 2^-126.
	smallestInput = (127 - 110) * exponentBit
	// largestWeight is 2^60, and smallestWeight 2^-100.
	largestWeight, smallestWeight = (127 + 60) * exponentBit, (127 - 100) * exponentBit
)

// amplification is more than the factor by which the transforms can enlarge a sum: the product of
// the squares of the largest row sums of absolute values of A', B' and G.
const amplification = 1 << 12

// Filters are the filters of a Plan.
type Filters struct {
	// Packed is the result of Plan.Pack.
	Packed []float32
	// Direct returns the filters themselves, [Out, In, depth, 3, 3]. It is called only for tiles
	// that are computed directly.
	Direct func() []float32
	// Largest is the result of LargestInput.
	Largest float32
}

// LargestInput returns the largest absolute value of inputs for which no sum of the transforms can
// overflow. It returns 0 if the filters do not suit the plan: if one is not finite or more than
// 2^60, or if the largest one of an output channel is not 0, but less than 2^-100. filters are
// [Out, In, depth, 3, 3]. It ends early if the work must stop.
func (w *Plan) LargestInput(stop parallel.Stop, filters []float32) float32 {
	largest := uint32(0)
	size := w.shape.In * 9
	for o := range w.shape.Out {
		most := uint32(0)
		for list := filters[o*size:][:size]; len(list) > 0; {
			if stop.Requested() {
				return 0
			}
			n := min(len(list), scannedAtOnce)
			most, list = max(most, magnitude.Largest(list[:n])), list[n:]
		}
		if most > largestWeight || most > 0 && most < smallestWeight {
			return 0
		}
		largest = max(largest, most)
	}
	sum := max(float64(size)*float64(math.Float32frombits(largest)), 1)
	return float32(math.MaxFloat32 / amplification / sum)
}

// scannedAtOnce is the number of elements whose magnitudes are compared between two checks for a
// stop.
const scannedAtOnce = 1 << 20

// readRange returns the positions of an axis of the input that neighbouring tiles read: lo to hi-1.
func (w *Plan) readRange(a *conv.Axis, first, tiles int) (lo, hi int) {
	lo = max(first*w.tile-a.PadBegin, 0)
	return lo, max(min((first+tiles-1)*w.tile+w.n-a.PadBegin, a.Input), lo)
}

// magnitudeBlock returns the number of elements for the magnitudes of a block.
func (w *Plan) magnitudeBlock() int {
	rows := conv.CeilDiv(w.shape.Batch*w.tilesY, w.rowBlocks)
	columns := conv.CeilDiv(w.tilesX, w.columnBlocks)
	// Each row of tiles can belong to an image of its own.
	return oddLines(rows*w.n*(columns*w.tile+2) + magnitude.Padding)
}

// flagBlock returns the number of elements for the flags of the tiles of a block.
func (w *Plan) flagBlock() int { return oddLines(w.blockTiles) }

// measuredChannels is the number of channels that are measured before they are transformed: few
// enough to stay in the first-level cache.
const measuredChannels = 8

// measure sets to to the largest of to and the magnitudes of the input of a block, for channels
// first to last-1, and returns their number. They are the rows that the tiles read, image by image.
func (w *Plan) measure(to []uint32, in []float32, b block, first, last int) int {
	s := &w.shape
	lo, hi := w.readRange(&s.X, b.column, b.columns)
	at := 0
	for row := 0; row < b.rows; {
		image, tileY := (b.row+row)/w.tilesY, (b.row+row)%w.tilesY
		tileRows := min(b.rows-row, w.tilesY-tileY)
		top, bottom := w.readRange(&s.Y, tileY, tileRows)
		from := w.planes(in, image, first, last)
		rows, width := bottom-top, hi-lo
		if width == s.X.Input {
			rows, width = 1, rows*width
		}
		for r := range rows {
			if width > 0 && from != nil {
				magnitude.Merge(to[at:], from[(top+r)*s.X.Input+lo:], width, last-first, w.channelStep())
			}
			at += width
		}
		row += tileRows
	}
	return at
}

// mergeMagnitudes sets to to the magnitudes of the input of a block, for all channels, from those
// of each item of Transform, and returns their number.
func (w *Plan) mergeMagnitudes(to, parts []uint32, b block) int {
	n := w.magnitudeCount(b)
	clear(to)
	magnitude.Merge(to, cast.Slice[float32](parts), n, w.channelRuns(), w.magnitudeBlock())
	return n
}

// magnitudeCount returns the number of magnitudes of a block.
func (w *Plan) magnitudeCount(b block) int {
	lo, hi := w.readRange(&w.shape.X, b.column, b.columns)
	rows := 0
	for row := 0; row < b.rows; {
		tileY := (b.row + row) % w.tilesY
		tileRows := min(b.rows-row, w.tilesY-tileY)
		top, bottom := w.readRange(&w.shape.Y, tileY, tileRows)
		rows += bottom - top
		row += tileRows
	}
	return rows * (hi - lo)
}

// The flags of a tile: flagDirect if it is computed directly, or else bit i*m + j if the window of
// output i, j consists of zeros although the tile does not.
const flagDirect = 1 << 16

// setFlags sets the flags of the tiles of a block. It returns false if all are 0. sizes are the
// magnitudes that measure has written.
func (w *Plan) setFlags(flags, sizes []uint32, b block, largest float32) bool {
	least, most := magnitude.Extremes(sizes)
	limit := math.Float32bits(largest)
	if w.covered && least >= smallestInput && most <= limit && most <= least+windowBits*exponentBit {
		return false
	}
	s := &w.shape
	lo, hi := w.readRange(&s.X, b.column, b.columns)
	any := uint32(0)
	for row := 0; row < b.rows; {
		tileY := (b.row + row) % w.tilesY
		tileRows := min(b.rows-row, w.tilesY-tileY)
		top, bottom := w.readRange(&s.Y, tileY, tileRows)
		for i := range tileRows {
			for column := range b.columns {
				f := w.tileFlags(sizes, (tileY+i)*w.tile-s.Y.PadBegin-top, (b.column+column)*w.tile-s.X.PadBegin-lo, bottom-top, hi-lo,
					min(w.tile, s.Y.Output-(tileY+i)*w.tile), min(w.tile, s.X.Output-(b.column+column)*w.tile), limit)
				flags[(row+i)*b.columns+column] = f
				any |= f
			}
		}
		sizes = sizes[(bottom-top)*(hi-lo):]
		row += tileRows
	}
	return any != 0
}

// tileFlags returns the flags of the tile whose input starts at row y and column x of sizes, which
// has the given height and width. Only the given rows and columns of its outputs exist.
func (w *Plan) tileFlags(sizes []uint32, y, x, height, width, rows, columns int, limit uint32) uint32 {
	least, most := uint32(math.MaxUint32), uint32(0)
	from, to := max(-x, 0), min(w.n, width-x)
	top, bottom := max(-y, 0), min(w.n, height-y)
	for i := top; i < bottom && from < to; i++ {
		for _, v := range sizes[(y+i)*width+x+from:][:to-from] {
			least, most = min(least, v), max(most, v)
		}
	}
	switch {
	case most == 0:
		return 0
	case most > limit || most < smallestInput:
		return flagDirect
	case w.covered && most <= least+windowBits*exponentBit:
		return 0
	}
	least = math.MaxUint32
	var d [6][6]uint32
	for i := top; i < bottom; i++ {
		for j := from; j < to; j++ {
			v := sizes[(y+i)*width+x+j]
			d[i][j] = v
			least = min(least, v-1) // 0 becomes the largest number
		}
	}
	if least < most-positionBits*exponentBit {
		return flagDirect
	}
	flags := uint32(0)
	for i := range rows {
		var lines [6]uint32 // the largest elements of three rows
		for j := range lines {
			lines[j] = max(d[i][j], d[i+1][j], d[i+2][j])
		}
		for j := range columns {
			v := max(lines[j], lines[j+1], lines[j+2])
			if v == 0 {
				flags |= 1 << (i*w.tile + j)
			} else if v < most-windowBits*exponentBit {
				return flagDirect
			}
		}
	}
	return flags
}

// windowRow is the largest number of outputs of a row of a tile.
const windowRow = 4

// windowBlock returns the number of elements for the windows of a row of outputs of a tile.
func (w *Plan) windowBlock() int { return windowRow * 9 * w.shape.In }

// correct computes the outputs of panel p that the flags name anew.
func (w *Plan) correct(r *run, p int) {
	s, b, e := &w.shape, r.block, r.epilogue
	pitch, depth := w.pitch(b), 9*s.In
	lanes := min(w.lanes, s.Out-p*w.lanes)
	var direct []float32
	for tile, flag := range r.flags[:b.rows*b.columns] {
		if flag == 0 {
			continue
		}
		row, column := b.row+tile/b.columns, b.column+tile%b.columns
		for i := range w.tile {
			n := min(w.tile, s.X.Output-column*w.tile)
			if flag == flagDirect {
				if direct == nil {
					direct = r.filters.Direct()
				}
				w.gather(r.windows, r.in, row, column*w.tile, i, n)
			}
			to := r.y[(tile/b.columns*w.tile+i)*pitch+tile%b.columns*w.tile:]
			for lane := range lanes {
				line := to[lane*w.yStep(b):][:n]
				if flag == flagDirect {
					filter := direct[(p*w.lanes+lane)*depth:][:depth]
					gemm.Row(r.stop, line, filter, gemm.Matrix[float32]{Data: r.windows, RowStride: 1, ColStride: depth}, 0, n)
					finishSums(e, line, p*w.lanes+lane)
					continue
				}
				for j := range line {
					if flag>>(i*w.tile+j)&1 != 0 {
						line[j] = 0
						finishSums(e, line[j:j+1], p*w.lanes+lane)
					}
				}
			}
		}
	}
}

// finishSums adds the bias of output channel o to sums, and clamps them.
func finishSums(e *conv.Epilogue, sums []float32, o int) {
	if e.Bias != nil {
		for j := range sums {
			sums[j] += e.Bias[o]
		}
	}
	if e.Clamp {
		conv.Clamp(sums, e.Lo, e.Hi)
	}
}

// gather copies the windows of n outputs to windows, one after the other, each in the order of the
// elements of a filter. The outputs start at column x of row i of a row of tiles, which is counted
// through all images.
func (w *Plan) gather(windows, in []float32, tileRow, x, i, n int) {
	s := &w.shape
	image, y := tileRow/w.tilesY, tileRow%w.tilesY*w.tile+i-s.Y.PadBegin
	for j := range n {
		left := x + j - s.X.PadBegin
		to := windows[j*9*s.In:][:9*s.In]
		inside := y >= 0 && y+3 <= s.Y.Input && left >= 0 && left+3 <= s.X.Input
		for c := range s.In {
			plane, line := w.planes(in, image, c, c+1), to[9*w.filterPart(c):][:9]
			if inside && plane != nil {
				from := plane[y*s.X.Input+left:]
				copy(line[:3], from)
				copy(line[3:6], from[s.X.Input:])
				copy(line[6:], from[2*s.X.Input:])
				continue
			}
			for k := range line {
				line[k] = 0
				if r, column := y+k/3, left+k%3; plane != nil && r >= 0 && r < s.Y.Input && column >= 0 && column < s.X.Input {
					line[k] = plane[r*s.X.Input+column]
				}
			}
		}
	}
}
