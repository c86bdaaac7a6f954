package conv

import "math"

// WinogradShape is a convolution of one group with a window of 3 by 3, strides and
// dilations 1.
type WinogradShape struct {
	Batch, In, Out int // Out and In are channels
	Y, X           Axis
}

// Winograd is the plan of a convolution by Winograd's minimal filtering: a tile of m
// by m outputs, and the n by n inputs it depends on, n = m+2, are transformed so that
// n*n products for each pair of channels are enough, which for m = 4 are a quarter of
// those of the definition:
//
//	output tile = A' * (sum over c of (G*weights*G') . (B'*input tile*B)) * A
//
// Elements e of all transforms of a block of tiles make n*n products of matrices:
//
//	M[e][tile][o] = sum over c of V[e][c][tile] * U[e][c][o]
//
// A vector is that of output channels, so that any number of tiles is multiplied
// without waste. It is safe for concurrent use.
//
// With few tiles there are not enough blocks for the threads. Then V is shared:
// Transform makes it, and Run is split by output channels.
type Winograd struct {
	shape  WinogradShape
	kernel winogradKernel
	tile   int // m
	n      int // m+2
	lanes  int // of a panel of U: output channels
	panels int

	tilesY, tilesX int // of an image
	// A block is a piece of the rows of tiles of all images, which follow each other,
	// and of the columns.
	rowBlocks, columnBlocks int
	blockTiles              int // of the largest block; the step of channels in V
	vStep                   int // of elements in V
	group                   int // panels that are multiplied at once
	shared                  bool
	transform               winogradConstants
}

// winogradConstants are the numbers of the transforms: a and b are the points besides
// 0 and infinity, each with both signs. They are read by the assembly.
type winogradConstants struct {
	input  [6]float32 // a, b, a², b², a²+b², a²b²
	output [6]float32 // a, b, a², b², a³, b³
	zeros  [96]float32
}

// The points of m = 4. Their powers are exact, and they lie where rounding errors are
// least: about twice those of the direct sum.
const pointA, pointB = 0.75, 1.5

// NewWinograd returns the plan for that many threads, or nil where the convolution is
// of another kind.
func NewWinograd(shape WinogradShape, threads int) *Winograd {
	for _, a := range []*Axis{&shape.Y, &shape.X} {
		if a.Kernel != 3 || a.Stride != 1 || a.Dilation != 1 || a.Input < 1 || a.Output < 1 {
			return nil
		}
	}
	const perPair = 36 * 4 // bytes of transformed weights
	if shape.Batch < 1 || shape.In < 1 || shape.Out < 1 || shape.In > math.MaxInt/perPair/(shape.Out+31) {
		return nil
	}
	w := &Winograd{shape: shape, kernel: pickWinograd(shape.Out), transform: winogradConstants{
		input:  [6]float32{pointA, pointB, pointA * pointA, pointB * pointB, pointA*pointA + pointB*pointB, pointA * pointA * pointB * pointB},
		output: [6]float32{pointA, pointB, pointA * pointA, pointB * pointB, pointA * pointA * pointA, pointB * pointB * pointB},
	}}
	w.tile = shape.tile()
	w.n = w.tile + 2
	w.lanes = w.kernel.lanes()
	w.panels = ceilDiv(shape.Out, w.lanes)
	w.tilesY, w.tilesX = ceilDiv(shape.Y.Output, w.tile), ceilDiv(shape.X.Output, w.tile)
	w.cut(max(threads, 1))
	return w
}

// SharedScratch returns the float32s that Transform makes and Run takes; 0 where
// there is no need for Transform.
func (w *Winograd) SharedScratch() int {
	if w.shared {
		return w.blocks() * w.vBlock()
	}
	return 0
}

// Scratch returns the float32s that each worker needs for itself.
func (w *Winograd) Scratch() int {
	size := winogradTemporary + w.mBlock() + w.yBlock()
	if !w.shared {
		size += w.vBlock()
	}
	return size
}

// TransformItems returns the number of work items of Transform, all of which are done
// before Run begins.
func (w *Winograd) TransformItems() int {
	if w.shared {
		return w.blocks() * ceilDiv(w.shape.In, channelRun)
	}
	return 0
}

// Transform computes items lo to hi-1 of V.
func (w *Winograd) Transform(in, shared, scratch []float32, lo, hi int) {
	perBlock := ceilDiv(w.shape.In, channelRun)
	for i := lo; i < hi; i++ {
		b := i / perBlock
		first := i % perBlock * channelRun
		last := min(first+channelRun, w.shape.In)
		w.transformInput(shared[b*w.vBlock():][:w.vBlock()], in, scratch[:winogradTemporary], w.block(b), first, last)
	}
}

// Items returns the number of work items of Run, which are independent of each other.
func (w *Winograd) Items() int {
	if w.shared {
		return w.blocks() * w.groups()
	}
	return w.blocks()
}

// Run computes items lo to hi-1 of the output. packed is what Pack made, shared what
// Transform made, scratch the worker's own.
func (w *Winograd) Run(out, in, packed []float32, e *Epilogue, shared, scratch []float32, lo, hi int) {
	temporary, scratch := scratch[:winogradTemporary], scratch[winogradTemporary:]
	m, scratch := scratch[:w.mBlock()], scratch[w.mBlock():]
	y, scratch := scratch[:w.yBlock()], scratch[w.yBlock():]
	for i := lo; i < hi; i++ {
		if w.shared {
			b, group := i/w.groups(), i%w.groups()
			w.runGroup(out, packed, shared[b*w.vBlock():][:w.vBlock()], m, y, temporary, e, w.block(b), group)
			continue
		}
		b, v := w.block(i), scratch[:w.vBlock()]
		w.transformInput(v, in, temporary, b, 0, w.shape.In)
		for group := range w.groups() {
			w.runGroup(out, packed, v, m, y, temporary, e, b, group)
		}
	}
}

// runGroup computes a group of panels of output channels of a block.
func (w *Winograd) runGroup(out, packed, v, m, y, temporary []float32, e *Epilogue, b block, group int) {
	first := group * w.group
	last := min(first+w.group, w.panels)
	tiles := b.rows * b.columns
	elements, depth := w.n*w.n, w.shape.In
	uSize, mStep := depth*w.lanes, w.mStep(tiles)
	mPanel := elements * mStep
	for element := range elements {
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
			w.multiply(to, v[element*w.vStep:], u, next[:uSize], tiles)
		}
	}
	for p := first; p < last; p++ {
		w.transformOutput(y, m[(p-first)*mPanel:], temporary, e, b, p)
		w.place(out, y, e, b, p)
	}
}

// multiply computes the products of all tiles of a block with a panel, while that to
// be multiplied next is fetched.
func (w *Winograd) multiply(m, v, u, next []float32, tiles int) {
	pieces := ceilDiv(tiles, w.kernel.tiles())
	at := 0
	for i := range pieces {
		end := (i + 1) * tiles / pieces
		w.kernel.product(end-at, w.shape.In, v[at:], w.blockTiles, u, m[at*w.lanes:], next[min(i, 1)*len(next)/2:])
		at = end
	}
}

// place copies the outputs of a panel to where they belong, and finishes them.
func (w *Winograd) place(out, y []float32, e *Epilogue, b block, p int) {
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
			at := (image*s.Out+o)*plane + first*s.X.Output + x
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

// yStep returns the step of channels in the outputs of a panel of a block.
func (w *Winograd) yStep(b block) int { return apart(b.rows * w.tile * w.pitch(b)) }

// pitch returns the step of rows there.
func (w *Winograd) pitch(b block) int { return ceilDiv(b.columns*w.tile, 4) * 4 }
