// Package winograd computes convolutions with windows of 3 by 3 by Winograd's minimal filtering.
package winograd

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/parallel"
)

//go:generate go run ./_neon -out winograd_arm64.s -stubs stubs_arm64.go -pkg winograd

// Shape describes a convolution of one group with windows of 3 by 3, and strides and dilations
// of 1. Along Z, the axis before them, windows, strides and dilations can have any length.
type Shape struct {
	Batch, In, Out int       // In and Out are channels
	Z              conv.Axis // the zero value means that there is no such axis
	Y, X           conv.Axis
}

// flat returns the shape whose images are the output planes of s along Z, and whose channels are
// the input planes of a window: all channels of element 0 of the window, then those of element 1,
// and so on. It also returns Z, and whether there is a plan for s: see New.
func (s Shape) flat() (flat Shape, z conv.Axis, ok bool) {
	z = s.Z
	if z.Kernel == 0 {
		z = conv.Axis{Input: 1, Output: 1, Kernel: 1, Stride: 1, Dilation: 1}
	}
	if z.Kernel > 1 && s.In%channelRun != 0 {
		return s, z, false // a run of channels is that of one element of the window
	}
	for _, a := range []*conv.Axis{&s.Y, &s.X} {
		if a.Kernel != 3 || a.Stride != 1 || a.Dilation != 1 || a.Input < 1 || a.Output < 1 {
			return s, z, false
		}
	}
	flat = Shape{Batch: s.Batch * z.Output, In: s.In * z.Kernel, Out: s.Out, Y: s.Y, X: s.X}
	const perPair = 36 * 4 // bytes of transformed weights
	return flat, z, flat.Batch > 0 && flat.In > 0 && flat.Out > 0 && flat.In <= math.MaxInt/perPair/(flat.Out+31)
}

// Plan is the plan of a convolution by Winograd's minimal filtering. A tile of m by m outputs
// depends on n by n inputs, where n = m+2. Both the inputs and the weights are transformed, so that
// a tile needs n*n products for each pair of an input and an output channel instead of 9*m*m. For
// m = 4 that is a quarter. In matrix notation, with ' for the transpose and . for the product
// element by element:
//
//	output tile = A' * (sum over c of (G*weights*G') . (B'*input tile*B)) * A
//
// For a block of tiles, let V be the transformed inputs and U the transformed weights. Each of the
// n*n elements e of the transforms is a product of matrices:
//
//	M[e][tile][o] = sum over c of V[e][c][tile] * U[e][c][o]
//
// The lanes of a vector are output channels, so any number of tiles fills the vectors.
//
// If there are too few blocks for the threads, V is shared: Transform computes it, and the items of
// Run are groups of output channels.
//
// A Plan is safe for concurrent use.
type Plan struct {
	shape    Shape     // flat
	z        conv.Axis // of the planes
	channels int       // input channels

	kernel kernel
	tile   int // m
	n      int // m+2
	lanes  int // output channels of a panel of U
	panels int

	tilesY, tilesX int // tiles of an image along each axis
	// A block is a range of the rows of tiles, counted through all images, and a range of the
	// columns of tiles.
	rowBlocks, columnBlocks int
	// distance between channels in V: tiles of the largest block, and padding
	blockTiles int
	vStep      int  // distance between transform elements in V
	group      int  // panels that are multiplied before their outputs are transformed
	shared     bool // Transform computes V
	covered    bool // no window of an output consists of padding alone
	transform  constants
}

// constants holds the numbers of the transforms, which the assembly reads. a and b are the
// interpolation points other than 0 and infinity; each is used with both signs.
type constants struct {
	input  [6]float32  // a, b, a², b², a²+b², a²b²
	output [6]float32  // a, b, a², b², a³, b³
	zeros  [96]float32 // is read instead of rows outside the input
}

// pointA and pointB are the points a and b for m = 4. Their powers are exact, and they lead to
// small rounding errors: about twice those of the direct sum.
const pointA, pointB = 0.75, 1.5

// New returns the plan of shape for a number of threads. It returns nil if the windows are not 3 by
// 3, if a stride or dilation is not 1, if the shape is empty or too large, or if the windows have
// more than one element along Z and In is not a multiple of 16.
func New(shape Shape, threads int) *Plan {
	channels := shape.In
	shape, z, ok := shape.flat()
	if !ok {
		return nil
	}
	w := &Plan{shape: shape, z: z, channels: channels, kernel: pickKernel(shape.Out), transform: constants{
		input:  [6]float32{pointA, pointB, pointA * pointA, pointB * pointB, pointA*pointA + pointB*pointB, pointA * pointA * pointB * pointB},
		output: [6]float32{pointA, pointB, pointA * pointA, pointB * pointB, pointA * pointA * pointA, pointB * pointB * pointB},
	}}
	w.tile = shape.bestTile()
	w.n = w.tile + 2
	w.lanes = w.kernel.lanes()
	w.panels = conv.CeilDiv(shape.Out, w.lanes)
	w.tilesY, w.tilesX = conv.CeilDiv(shape.Y.Output, w.tile), conv.CeilDiv(shape.X.Output, w.tile)
	w.covered = shape.Y.Covered() && shape.X.Covered()
	w.setBlocks(max(threads, 1))
	return w
}

// planeSize returns the number of elements of a plane of the input.
func (w *Plan) planeSize() int { return w.shape.Y.Input * w.shape.X.Input }

// channelStep returns the distance between the planes of neighbouring channels that belong to the
// same element of the window along Z.
func (w *Plan) channelStep() int { return w.z.Input * w.planeSize() }

// planes returns the planes of channels first to last-1 of an image, channelStep apart. They belong
// to the same element of the window along Z. It returns nil if that is in the padding.
func (w *Plan) planes(in []float32, image, first, last int) []float32 {
	z := w.z.At(image%w.z.Output, first/w.channels)
	if z < 0 || z >= w.z.Input {
		return nil
	}
	at := (image/w.z.Output*w.channels+first%w.channels)*w.z.Input + z
	return in[at*w.planeSize():][:(last-first-1)*w.channelStep()+w.planeSize()]
}

// SharedScratch returns the number of elements of the memory that Transform writes and Run reads.
// It returns 0 if Transform is not needed.
func (w *Plan) SharedScratch() int {
	if w.shared {
		return w.blocks() * w.sharedBlock()
	}
	return 0
}

// sharedBlock returns the number of these elements for a block: V, and the magnitudes of the
// channels of each item of Transform.
func (w *Plan) sharedBlock() int { return w.vBlock() + w.channelRuns()*w.magnitudeBlock() }

// channelRuns returns the number of items of Transform for a block.
func (w *Plan) channelRuns() int { return conv.CeilDiv(w.shape.In, channelRun) }

// Scratch returns the number of elements of the scratch memory that each worker needs for itself.
func (w *Plan) Scratch() int {
	size := temporarySize + w.mBlock() + w.yBlock() + w.magnitudeBlock() + w.flagBlock() + w.windowBlock()
	if !w.shared {
		size += w.vBlock()
	}
	return size
}

// TransformItems returns the number of work items of Transform. All of them must be complete before
// Run begins.
func (w *Plan) TransformItems() int {
	if w.shared {
		return w.blocks() * w.channelRuns()
	}
	return 0
}

// Transform computes items lo to hi-1 of the transformed inputs. in is the whole input, [Batch, In,
// depth, height, width]. shared has SharedScratch elements, scratch has Scratch elements and
// belongs to the worker. Transform ends early if stop is requested.
func (w *Plan) Transform(stop parallel.Stop, in, shared, scratch []float32, lo, hi int) {
	perBlock := w.channelRuns()
	for i := lo; i < hi && !stop.Requested(); i++ {
		b, run := w.block(i/perBlock), i%perBlock
		first := run * channelRun
		last := min(first+channelRun, w.shape.In)
		v, sizes := w.sharedParts(shared, i/perBlock)
		w.readInput(v, sizes[run*w.magnitudeBlock():][:w.magnitudeBlock()], in, scratch[:temporarySize], b, first, last)
	}
}

// sharedParts returns the parts of shared memory of block i: V, and the magnitudes of each item of
// Transform.
func (w *Plan) sharedParts(shared []float32, i int) (v []float32, sizes []uint32) {
	shared = shared[i*w.sharedBlock():][:w.sharedBlock()]
	return shared[:w.vBlock()], cast.Slice[uint32](shared[w.vBlock():])
}

// readInput computes V and the magnitudes for channels first to last-1 of a block. It returns the
// number of magnitudes.
func (w *Plan) readInput(v []float32, sizes []uint32, in, temporary []float32, b block, first, last int) (n int) {
	clear(sizes)
	for ; first < last; first += measuredChannels {
		end := min(first+measuredChannels, last)
		n = w.measure(sizes, in, b, first, end)
		w.transformInput(v, in, temporary, b, first, end)
	}
	return n
}

// Items returns the number of work items of Run. They are independent of each other.
func (w *Plan) Items() int {
	if w.shared {
		return w.blocks() * w.groups()
	}
	return w.blocks()
}

// Run computes items lo to hi-1 of the output. in and out are the whole tensors, [Batch, In, depth,
// height, width] and [Batch, Out, depth, height, width]. shared is the result of Transform. scratch
// has Scratch elements and belongs to the worker. Run ends early if stop is requested.
func (w *Plan) Run(stop parallel.Stop, out, in []float32, f Filters, e *conv.Epilogue, shared, scratch []float32, lo, hi int) {
	take := func(n int) []float32 {
		part := scratch[:n]
		scratch = scratch[n:]
		return part
	}
	r := run{
		stop: stop, out: out, in: in, filters: f, epilogue: e,
		temporary: take(temporarySize), m: take(w.mBlock()), y: take(w.yBlock()), windows: take(w.windowBlock()),
	}
	sizes, flags := cast.Slice[uint32](take(w.magnitudeBlock())), cast.Slice[uint32](take(w.flagBlock()))
	for i := lo; i < hi && !stop.Requested(); i++ {
		if w.shared {
			b := w.block(i / w.groups())
			v, parts := w.sharedParts(shared, i/w.groups())
			n := w.mergeMagnitudes(sizes, parts, b)
			r.setBlock(w, b, v, flags, sizes[:n])
			w.runGroup(&r, i%w.groups())
			continue
		}
		b, v := w.block(i), scratch[:w.vBlock()]
		n := w.readInput(v, sizes, in, r.temporary, b, 0, w.shape.In)
		r.setBlock(w, b, v, flags, sizes[:n])
		for group := range w.groups() {
			w.runGroup(&r, group)
		}
	}
}

// run holds the tensors and the working memory of a worker, and the block it computes.
type run struct {
	stop                     parallel.Stop
	out, in                  []float32
	filters                  Filters
	epilogue                 *conv.Epilogue
	temporary, m, y, windows []float32

	block block
	v     []float32
	flags []uint32 // of the tiles; nil if all are 0
}

// setBlock sets the block to compute. sizes are the magnitudes of its input, and flags is memory.
func (r *run) setBlock(w *Plan, b block, v []float32, flags, sizes []uint32) {
	r.block, r.v, r.flags = b, v, nil
	if w.setFlags(flags, sizes, b, r.filters.Largest) {
		r.flags = flags
	}
}

// runGroup computes the outputs of a block for a group of panels. It ends early if r.stop is
// requested.
func (w *Plan) runGroup(r *run, group int) {
	b, m, packed := r.block, r.m, r.filters.Packed
	first := group * w.group
	last := min(first+w.group, w.panels)
	tiles := b.rows * b.columns
	elements, depth := w.n*w.n, w.shape.In
	uSize, mStep := depth*w.lanes, w.mStep(tiles)
	mPanel := elements * mStep
	for element := range elements {
		if r.stop.Requested() {
			return
		}
		for p := first; p < last; p++ {
			u := packed[(p*elements+element)*uSize:][:uSize]
			next := u
			switch {
			case p < last-1:
				next = packed[((p+1)*elements+element)*uSize:]
			case element < elements-1:
				next = packed[(first*elements+element+1)*uSize:]
			case last < w.panels:
				next = packed[last*elements*uSize:]
			}
			to := m[(p-first)*mPanel+element*mStep:][:tiles*w.lanes]
			w.multiply(to, r.v[element*w.vStep:], u, next[:uSize], tiles)
		}
	}
	for p := first; p < last; p++ {
		w.transformOutput(r.y, m[(p-first)*mPanel:], r.temporary, r.epilogue, b, p)
		if r.flags != nil {
			w.correct(r, p)
		}
		w.storeOutputs(r.out, r.y, r.epilogue, b, p)
	}
}

// multiply multiplies all tiles of a block by panel u, and prefetches next, the panel that is
// multiplied after it.
func (w *Plan) multiply(m, v, u, next []float32, tiles int) {
	pieces := conv.CeilDiv(tiles, w.kernel.tiles())
	at := 0
	for i := range pieces {
		end := (i + 1) * tiles / pieces
		w.kernel.product(end-at, w.shape.In, v[at:], w.blockTiles, u, m[at*w.lanes:], next[min(i, 1)*len(next)/2:])
		at = end
	}
}

// storeOutputs copies the outputs of panel p from y to out, and calls Finish for them.
func (w *Plan) storeOutputs(out, y []float32, e *conv.Epilogue, b block, p int) {
	s := &w.shape
	pitch := w.pitch(b)
	plane := s.Y.Output * s.X.Output
	x := b.column * w.tile
	columns := min(b.columns*w.tile, s.X.Output-x)
	whole := columns == s.X.Output
	for row := 0; row < b.rows; {
		image, tileY := (b.row+row)/w.tilesY, (b.row+row)%w.tilesY
		tileRows := min(b.rows-row, w.tilesY-tileY)
		first := tileY * w.tile
		rows := min(tileRows*w.tile, s.Y.Output-first)
		for o := p * w.lanes; o < min((p+1)*w.lanes, s.Out); o++ {
			from := y[(o-p*w.lanes)*w.yStep(b)+row*w.tile*pitch:]
			at := ((image/w.z.Output*s.Out+o)*w.z.Output+image%w.z.Output)*plane + first*s.X.Output + x
			to := out[at : at+(rows-1)*s.X.Output+columns]
			if pitch == s.X.Output {
				copy(to, from)
			} else {
				for r := range rows {
					copy(to[r*s.X.Output:][:columns], from[r*pitch:])
				}
			}
			switch {
			case e.Finish == nil:
			case whole:
				e.Finish(to, at)
			default:
				for r := range rows {
					e.Finish(to[r*s.X.Output:][:columns], at+r*s.X.Output)
				}
			}
		}
		row += tileRows
	}
}

// yStep returns the distance between channels in the outputs of a panel of a block.
func (w *Plan) yStep(b block) int { return oddLines(b.rows * w.tile * w.pitch(b)) }

// pitch returns the distance between rows there.
func (w *Plan) pitch(b block) int { return conv.CeilDiv(b.columns*w.tile, 4) * 4 }
