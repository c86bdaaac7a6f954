//go:build !noasm

package winograd

import (
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm"
)

// kernel selects the functions that a plan uses.
type kernel uint8

const (
	portable kernel = iota
	winogradNEON
)

// pickKernel returns the fastest kernel.
func pickKernel(int) kernel {
	if cpu.NEON.Available() {
		return winogradNEON
	}
	return portable
}

// lanes returns the output channels of a panel of U.
func (k kernel) lanes() int { return [...]int{4, 8}[k] }

// tiles returns the largest number of tiles that product accepts.
func (k kernel) tiles() int { return [...]int{2, 12}[k] }

// channelStep returns the distance between channels in V for blocks of the given number of tiles.
// The last vector of a row of tiles, and of the tiles of a product, extends beyond the block.
func (k kernel) channelStep(tiles, _ int) int { return tiles + [...]int{0, 3}[k] }

// product multiplies tiles with a panel of output channels:
//
//	m[t*lanes + o] = sum over c < depth of v[c*step + t]*u[c*lanes + o]
func (k kernel) product(tiles, depth int, v []float32, step int, u, m, _ []float32) {
	if k == portable {
		productPortable(tiles, depth, v, step, u, m)
		return
	}
	// The assembly does not check bounds.
	_, _, _ = v[(depth-1)*step+(tiles+3)&^3-1], u[depth*k.lanes()-1], m[tiles*k.lanes()-1]
	pv, pu, pm := &v[0], &u[0], &m[0]
	switch tiles {
	case 1:
		productNEONx1(depth, pv, step, pu, pm)
	case 2:
		productNEONx2(depth, pv, step, pu, pm)
	case 3:
		productNEONx3(depth, pv, step, pu, pm)
	case 4:
		productNEONx4(depth, pv, step, pu, pm)
	case 5:
		productNEONx5(depth, pv, step, pu, pm)
	case 6:
		productNEONx6(depth, pv, step, pu, pm)
	case 7:
		productNEONx7(depth, pv, step, pu, pm)
	case 8:
		productNEONx8(depth, pv, step, pu, pm)
	case 9:
		productNEONx9(depth, pv, step, pu, pm)
	case 10:
		productNEONx10(depth, pv, step, pu, pm)
	case 11:
		productNEONx11(depth, pv, step, pu, pm)
	case 12:
		productNEONx12(depth, pv, step, pu, pm)
	}
}

// inputCall is the argument of the input transform. _neon depends on its layout.
// Offsets and distances are in bytes.
type inputCall struct {
	// where the vectors of each row are loaded from, or zeros for a row outside the input
	rows         [6]*float32
	steps        [6]int       // from there to the next channel
	offsets      [5]int       // from the start of a row to each of its vectors
	index        [5][16]uint8 // where each byte of a vector comes from; 255 is 0
	count        int          // number of channels
	v            *float32
	stepC, stepE int // distances between channels and between transform elements in v
	temporary    *float32
	constants    *float32
}

// outputCall is the argument of the output transform. _neon depends on its layout.
// Distances are in bytes.
type outputCall struct {
	m              *float32
	stepE          int // distance between transform elements in m
	out            *float32
	stepO, stepRow int // distances between channels and between rows in out
	count          int // number of tiles
	constants      *float32
	bias           *float32 // of four channels
	lo, hi         float32  // NaN is no limit
}

// vectorTiles is the number of tiles that the input transform computes at a time.
const vectorTiles = 4

// transformInput computes V for channels first to last-1 of a block.
func (w *Plan) transformInput(v, in, temporary []float32, b block, first, last int) {
	s := &w.shape
	if w.kernel == portable || s.X.Input < vectorTiles {
		w.transformInputPortable(v, in, b, first, last)
		return
	}
	c := inputCall{
		count: last - first, stepC: 4 * w.blockTiles, stepE: 4 * w.vStep,
		temporary: &temporary[0], constants: &w.transform.input[0],
	}
	for row := range b.rows {
		image, tileY := (b.row+row)/w.tilesY, (b.row+row)%w.tilesY
		from := w.planes(in, image, first, last)
		for column := 0; column < b.columns; column += vectorTiles {
			y, x := tileY*w.tile-s.Y.PadBegin, (b.column+column)*w.tile-s.X.PadBegin
			to := v[first*w.blockTiles+row*b.columns+column:]
			// The assembly does not check bounds.
			_ = to[(w.n*w.n-1)*w.vStep+(last-first-1)*w.blockTiles+vectorTiles-1]
			shifted := w.placeInput(&c, from, y, x)
			c.v = &to[0]
			w.callInput(&c, shifted)
		}
	}
}

// placeInput sets the fields of c that describe the input of a vector of tiles, which starts at row
// y and column x. It reports whether the vectors of a row are shifted: they are loaded from inside
// of the row, and their elements moved to their places, with zeros for those outside. Instead of a
// row above or below the input, or if from is nil, a row of zeros is read.
func (w *Plan) placeInput(c *inputCall, from []float32, y, x int) (shifted bool) {
	s := &w.shape
	most := s.X.Input - vectorTiles // the last place of a vector
	start := min(max(x, 0), most)
	for i := range w.n {
		if from == nil || y+i < 0 || y+i >= s.Y.Input {
			c.rows[i], c.steps[i] = &w.transform.zeros[0], 0
			continue
		}
		c.rows[i], c.steps[i] = &from[(y+i)*s.X.Input+start], 4*w.channelStep()
	}
	if x >= 0 && x+4*(w.tile+1) <= s.X.Input {
		return false
	}
	for j := range w.tile + 1 {
		at := x + 4*j
		place := min(max(at, start), most)
		c.offsets[j] = 4 * (place - start)
		for lane := range 4 {
			for k := range 4 {
				c.index[j][4*lane+k] = 255
				if e := at + lane - place; at+lane >= 0 && at+lane < s.X.Input && e < 4 {
					c.index[j][4*lane+k] = uint8(4*e + k)
				}
			}
		}
	}
	return true
}

// callInput calls the input transform.
func (w *Plan) callInput(c *inputCall, shifted bool) {
	p := (*byte)(unsafe.Pointer(c))
	switch {
	case w.tile == 4 && shifted:
		input4NEONShifted(p)
	case w.tile == 4:
		input4NEON(p)
	case shifted:
		input2NEONShifted(p)
	default:
		input2NEON(p)
	}
}

// transformOutput computes the outputs of panel p of a block from M.
func (w *Plan) transformOutput(y, m, temporary []float32, e *conv.Epilogue, b block, p int) {
	if w.kernel == portable {
		w.transformOutputPortable(y, m, e, b, p)
		return
	}
	pitch, tiles := w.pitch(b), b.rows*b.columns
	bias := temporary[len(temporary)-w.lanes:]
	clear(bias)
	if e.Bias != nil {
		copy(bias, e.Bias[p*w.lanes:])
	}
	c := outputCall{
		stepE: 4 * w.mStep(tiles), stepO: 4 * w.yStep(b), stepRow: 4 * pitch, count: b.columns,
		constants: &w.transform.output[0], lo: float32(math.NaN()), hi: float32(math.NaN()),
	}
	if e.Clamp {
		c.lo, c.hi = e.Lo, e.Hi
	}
	// The assembly does not check bounds.
	_, _ = m[(w.n*w.n-1)*w.mStep(tiles)+tiles*w.lanes-1], y[w.lanes*w.yStep(b)-1]
	for row := range b.rows {
		for channel := 0; channel < w.lanes; channel += 4 {
			c.m, c.bias = &m[row*b.columns*w.lanes+channel], &bias[channel]
			c.out = &y[row*w.tile*pitch+channel*w.yStep(b)]
			if w.tile == 4 {
				output4NEON((*byte)(unsafe.Pointer(&c)))
			} else {
				output2NEON((*byte)(unsafe.Pointer(&c)))
			}
		}
	}
}

// packedChannels is the number of input channels whose filters are arranged in vectors before they
// are transformed: few enough to stay in the cache.
const packedChannels = 32

// packPanel transforms the filters of a panel's output channels.
func (w *Plan) packPanel(u, weights []float32, g *[18]float32, channels int) {
	if w.kernel == portable {
		w.packPanelPortable(u, weights, g, channels)
		return
	}
	depth, step := 9*w.shape.In, w.shape.In*w.lanes
	lanes := gemm.FloatKernel{Tiling: gemm.Tiling{NR: w.lanes, KC: 9 * packedChannels}}
	packed := make([]float32, w.lanes*lanes.KC)
	filters := gemm.Matrix[float32]{Data: weights, RowStride: 1, ColStride: depth}
	matrix := [20]float32{} // the assembly reads whole vectors
	copy(matrix[:], g[:])
	for i := range lanes.Blocks(depth) {
		lanes.PackB(packed, filters, channels, depth, i, 0, 1)
		count := lanes.Depth(i, depth) / 9
		to := u[i*packedChannels*w.lanes:]
		// The assembly does not check bounds.
		_ = to[(w.n*w.n-1)*step+count*w.lanes-1]
		for lane := 0; lane < w.lanes; lane += 4 {
			if w.tile == 4 {
				weights4NEON(&to[lane], step, &packed[lane], count, &matrix[0])
			} else {
				weights2NEON(&to[lane], step, &packed[lane], count, &matrix[0])
			}
		}
	}
}
