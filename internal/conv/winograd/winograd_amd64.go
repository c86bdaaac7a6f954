//go:build amd64 && !noasm

package winograd

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/gemm"
)

//go:generate sh -c "cd _asm && go run . -out ../winograd_amd64.s -stubs ../stubs_amd64.go -pkg winograd"

// inputCall is the argument of the input transform. _asm depends on its layout.
// Offsets and distances are in bytes.
type inputCall struct {
	bases        [6]*float32 // first channel of the input, or zeros for a row outside the input
	offsets      [6]int      // from there to the first element of each row, which can be padding
	steps        [6]int      // from there to the next channel
	count        int         // number of channels
	v            *float32
	stepC, stepE int // distances between channels and between transform elements in v
	temporary    *float32
	constants    *float32
	masks        [5]uint16 // lanes inside the input, for each vector of a row
	stored       uint16    // lanes of v that are written
	_            uint32
	plane        int         // size of a channel of the input: the next channel is prefetched
	masksAVX2    [5][8]int32 // masks for AVX2
}

// outputCall is the argument of the output transform. _asm depends on its layout.
// Distances are in bytes.
type outputCall struct {
	m              *float32
	stepE          int // distance between transform elements in m
	out            *float32
	stepO, stepRow int // distances between channels and between rows in out
	count          int // number of groups of four columns
	temporary      *float32
	constants      *float32
	bias           *float32 // of the channels of the panel
	panel          int      // size of a tile in m, with all channels of the panel
	lo, hi         float32
	clamp          uint32 // 1: clamp to lo and hi
}

// transformInput computes V for channels first to last-1 of a block.
func (w *Plan) transformInput(v, in, temporary []float32, b block, first, last int) {
	if w.kernel == portable {
		w.transformInputPortable(v, in, b, first, last)
		return
	}
	s := &w.shape
	c := inputCall{
		stepC: 4 * w.blockTiles, stepE: 4 * w.vStep,
		temporary: &temporary[0], constants: &w.transform.input[0],
	}
	c.plane = 4 * w.channelStep()
	for row := range b.rows {
		image, tileY := (b.row+row)/w.tilesY, (b.row+row)%w.tilesY
		from := w.planes(in, image, first, last)
		for column := 0; column < b.columns; {
			wide := w.kernel.avx512() && b.columns-column > 8
			lanes := 8
			if wide {
				lanes = 16
			}
			tiles := min(lanes, b.columns-column)
			y := tileY*w.tile - s.Y.PadBegin
			x := (b.column+column)*w.tile - s.X.PadBegin
			to := v[first*w.blockTiles+row*b.columns+column:]
			// The assembly does not check bounds.
			_ = to[(w.n*w.n-1)*w.vStep+(last-first-1)*w.blockTiles+w.kernel.writtenLen(lanes, tiles)-1]
			w.maskInput(&c, from, y, x, lanes, tiles)
			c.v, c.count = &to[0], last-first
			w.callInput(&c, wide)
			column += tiles
		}
	}
}

// maskInput sets the fields of c that describe the input of a vector of tiles, which starts at row
// y and column x. Masks replace elements beyond the sides of the input by zeros. Instead of a row
// above or below the input, or if from is nil, a row of zeros is read.
func (w *Plan) maskInput(c *inputCall, from []float32, y, x, lanes, tiles int) {
	s := &w.shape
	for i := range w.n {
		if from == nil || y+i < 0 || y+i >= s.Y.Input {
			c.bases[i], c.offsets[i], c.steps[i] = &w.transform.zeros[0], 0, 0
			continue
		}
		c.bases[i] = &from[0]
		c.offsets[i], c.steps[i] = 4*((y+i)*s.X.Input+x), 4*w.channelStep()
	}
	// columns x to x+reads-1 are read, except negative ones
	reads := min(tiles*w.tile+2, s.X.Input-x)
	for j := range w.tile + 1 {
		width := lanes
		if j == w.tile {
			width = 2
		}
		lo, hi := max(-x-j*lanes, 0), min(reads-j*lanes, width)
		c.masks[j] = 0
		if lo < hi {
			c.masks[j] = uint16(1<<hi - 1<<lo)
		}
	}
	c.stored = uint16(1<<tiles - 1)
	if !w.kernel.avx512() {
		for j := range w.tile + 1 {
			for lane := range c.masksAVX2[j] {
				c.masksAVX2[j][lane] = -int32(c.masks[j] >> lane & 1)
			}
		}
	}
}

// callInput calls the input transform, for vectors of 16 lanes if wide is true.
func (w *Plan) callInput(c *inputCall, wide bool) {
	p := (*byte)(unsafe.Pointer(c))
	switch {
	case wide && w.tile == 4:
		input4AVX512(p)
	case wide:
		input2AVX512(p)
	case w.kernel.avx512() && w.tile == 4:
		input4AVX512Narrow(p)
	case w.kernel.avx512():
		input2AVX512Narrow(p)
	case w.tile == 4:
		input4AVX2(p)
	default:
		input2AVX2(p)
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
		stepE: 4 * w.mStep(tiles),
		stepO: 4 * w.yStep(b), stepRow: 4 * pitch,
		temporary: &temporary[0], constants: &w.transform.output[0], bias: &bias[0],
		panel: 4 * w.lanes,
	}
	if e.Clamp {
		c.clamp, c.lo, c.hi = 1, e.Lo, e.Hi
	}
	_ = m[w.n*w.n*w.mStep(tiles)]
	_ = y[w.lanes*w.yStep(b)-1]
	for row := range b.rows {
		c.m, c.out = &m[row*b.columns*w.lanes], &y[row*w.tile*pitch]
		c.count = pitch / 4
		w.callOutput(&c)
	}
}

// callOutput calls the output transform.
func (w *Plan) callOutput(c *outputCall) {
	p := (*byte)(unsafe.Pointer(c))
	switch {
	case w.kernel.avx512() && w.tile == 4:
		output4AVX512(p)
	case w.kernel.avx512():
		output2AVX512(p)
	case w.tile == 4:
		output4AVX2(p)
	default:
		output2AVX2(p)
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
	vector, depth := w.kernel.vector(), 9*w.shape.In
	lanes := gemm.FloatKernel{Tiling: gemm.Tiling{NR: vector, KC: 9 * packedChannels}}
	packed := make([]float32, vector*lanes.KC)
	for first := 0; first < channels; first += vector {
		filters := gemm.Matrix[float32]{Data: weights[first*depth:], RowStride: 1, ColStride: depth}
		for i := range lanes.Blocks(depth) {
			lanes.PackB(packed, filters, min(vector, channels-first), depth, i, 0, 1)
			w.callWeights(u[i*packedChannels*w.lanes+first:], packed, g, lanes.Depth(i, depth)/9)
		}
	}
}

// callWeights transforms the filters of count input channels, which packPanel has arranged in
// vectors.
func (w *Plan) callWeights(u, packed []float32, g *[18]float32, count int) {
	step, vector := w.shape.In*w.lanes, w.kernel.vector()
	// The assembly does not check bounds.
	_, _ = u[(w.n*w.n-1)*step+(count-1)*w.lanes+vector-1], packed[count*9*vector-1]
	to, from := &u[0], &packed[0]
	switch {
	case w.kernel.avx512() && w.tile == 4:
		weights4AVX512(to, step, from, count, w.lanes, &g[0])
	case w.kernel.avx512():
		weights2AVX512(to, step, from, count, w.lanes, &g[0])
	case w.tile == 4:
		weights4AVX2(to, step, from, count, w.lanes, &g[0])
	default:
		weights2AVX2(to, step, from, count, w.lanes, &g[0])
	}
}
