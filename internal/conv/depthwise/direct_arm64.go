//go:build !noasm

package depthwise

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/cpu"
)

// directPlan computes a depthwise convolution of two axes by assembly that reads the input in
// place. A plane is divided into tiles of several rows by one or two vectors. If a tile reads
// beyond the sides of the input, its vectors are loaded from inside of the row and their elements
// moved; rows above and below the input are skipped. All offsets and distances are in bytes.
type directPlan struct {
	kernel, stride int
	strips         []planeStrip
	groups         []rowGroup
	call           planeCall  // the fields that are the same in all calls
	noBias         [1]float32 // the bias if there is none
}

// planeCall is the argument of the assembly, which changes it. _neon/floats depends on its layout,
// and on those of rowGroup and planeStrip.
type planeCall struct {
	out, in, weights, bias *float32
	planes                 int // number of planes
	outPlane, inPlane      int // distances from one plane to the next
	weightsStep, biasStep  int // the same for the weights and the bias
	groups                 *rowGroup
	groupCount             int
	strips                 *planeStrip
	stripCount             int
	inStep, outStep        int // distances from one row to the next, in the input and in the output
	clamp                  int // 1: clamp to lo and hi
	lo, hi                 float32
}

// rowGroup is a row of tiles.
type rowGroup struct {
	in, out int    // offsets of the first row in the input and in the output
	valid   uint64 // bit i: row i of the tile's input is inside the input
	stored  uint64 // bit i: row i of the tile is written
}

// planeStrip is a column of tiles.
type planeStrip struct {
	in, out int           // offsets of the first column in the input and in the output
	kind    stripKind     // 64 bits
	offsets [10]int       // of the vectors of a row, if they are shifted
	index   [10][16]uint8 // where each byte of such a vector comes from; 255 is 0
}

// stripKind has bit 0 set if the vectors of a row are shifted, and bit 1 if it is a single vector
// of columns.
type stripKind uint64

const (
	stripShifted stripKind = 1 << iota
	stripNarrow
)

// vectorColumns is the number of columns of a vector, directRows the number of rows of a tile.
// _neon/floats has the same.
const vectorColumns, directRows = 4, 4

// newDirectPlan returns nil if no assembly supports the shape.
func newDirectPlan(shape *Shape) *directPlan {
	z, y, x := &shape.Axes[0], &shape.Axes[1], &shape.Axes[2]
	p := &directPlan{kernel: y.Kernel, stride: y.Stride}
	switch {
	case !cpu.NEON.Available(),
		y.Kernel != 3 && y.Kernel != 5, y.Stride != 1 && y.Stride != 2, y.Kernel != x.Kernel, y.Stride != x.Stride,
		y.Kernel > 1 && y.Dilation > 1, x.Kernel > 1 && x.Dilation > 1,
		z.Input != 1, z.Output != 1, z.Kernel != 1, z.PadBegin != 0,
		x.Input < vectorColumns, x.Output < vectorColumns, x.Output > maxColumns:
		return nil
	}
	p.call = planeCall{
		outPlane: 4 * y.Output * x.Output, inPlane: 4 * y.Input * x.Input,
		weightsStep: 4 * y.Kernel * x.Kernel,
		inStep:      4 * x.Input, outStep: 4 * x.Output,
	}
	for first := 0; first < y.Output; first += directRows {
		p.groups = append(p.groups, newRowGroup(y, x, first))
	}
	for first := 0; first < x.Output; {
		vectors := 1
		if x.Output-first > vectorColumns && x.Output >= 2*vectorColumns {
			vectors = 2
		}
		// The last tiles repeat columns of those before them.
		at := min(first, x.Output-vectors*vectorColumns)
		p.strips = append(p.strips, newPlaneStrip(x, at, vectors))
		first += vectors * vectorColumns
	}
	p.call.strips, p.call.stripCount = &p.strips[0], len(p.strips)
	return p
}

// rowMultiple returns the number that the first row of each call of run has to be a multiple of.
func (p *directPlan) rowMultiple() int {
	if p == nil {
		return 1
	}
	return directRows
}

// newRowGroup returns the tiles whose first output row is first. They have at most directRows rows.
func newRowGroup(y, x *conv.Axis, first int) rowGroup {
	rows := min(directRows, y.Output-first)
	g := rowGroup{in: 4 * x.Input * y.At(first, 0), out: 4 * x.Output * first, stored: 1<<rows - 1}
	for i := range (rows-1)*y.Stride + y.Kernel {
		if at := y.At(first, i); at >= 0 && at < y.Input {
			g.valid |= 1 << i
		}
	}
	return g
}

// newPlaneStrip returns the tiles whose first output column is first, with one or two vectors.
func newPlaneStrip(x *conv.Axis, first, vectors int) planeStrip {
	start, columns := x.At(first, 0), vectors*vectorColumns
	s := planeStrip{in: 4 * start, out: 4 * first}
	if vectors == 1 {
		s.kind = stripNarrow
	}
	if reads := (x.Kernel-1)/x.Stride*x.Stride + columns*x.Stride; start >= 0 && start+reads <= x.Input {
		return s
	}
	s.in = 0
	s.kind |= stripShifted
	loads := x.Kernel * vectors
	if x.Stride == 2 {
		loads = 2*vectors + 1
	}
	for j := range loads {
		at := start + vectorColumns*j
		if x.Stride == 1 {
			at = start + j/vectors + vectorColumns*(j%vectors)
		}
		place := min(max(at, 0), x.Input-vectorColumns)
		s.offsets[j] = 4 * place
		for i := range s.index[j] {
			s.index[j][i] = 255
			if e := at + i/4; e >= place && e < place+vectorColumns {
				s.index[j][i] = uint8(4*(e-place) + i%4)
			}
		}
	}
	return s
}

// run computes rows first to last-1 of count planes that are next to each other. first is a
// multiple of rowMultiple.
func (p *directPlan) run(out, in, weights, bias []float32, e *conv.Epilogue, count, first, last int) {
	groups := p.groups[first/directRows : conv.CeilDiv(last, directRows)]
	call := p.call
	call.out, call.in, call.weights = &out[0], &in[0], &weights[0]
	call.planes = count
	call.groups, call.groupCount = &groups[0], len(groups)
	if bias != nil {
		call.bias, call.biasStep = &bias[0], 4
	} else {
		call.bias = &p.noBias[0]
	}
	if e.Clamp {
		call.clamp, call.lo, call.hi = 1, e.Lo, e.Hi
	}
	callPlane(p.kernel, p.stride, &call)
}

// callPlane calls the assembly for a filter and a stride.
func callPlane(kernel, stride int, call *planeCall) {
	p := (*byte)(unsafe.Pointer(call))
	switch {
	case kernel == 3 && stride == 1:
		plane3s1NEON(p)
	case kernel == 3:
		plane3s2NEON(p)
	case stride == 1:
		plane5s1NEON(p)
	default:
		plane5s2NEON(p)
	}
}

// pickTaps returns the fastest tapsFunc of this processor.
func pickTaps() tapsFunc {
	if cpu.NEON.Available() {
		return vectorTaps(tapsNEON)
	}
	return tapsPortable
}

// vectorEvens sets out[i] to in[2*i] for the first elements of out, and returns their number.
func vectorEvens(out, in []float32) int {
	n := min(len(out), len(in)/2) &^ 3
	if n == 0 || !cpu.NEON.Available() {
		return 0
	}
	evensNEON(&out[0], &in[0], n)
	return n
}
