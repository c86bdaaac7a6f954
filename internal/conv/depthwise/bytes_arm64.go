//go:build !noasm

package depthwise

import (
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/cpu"
)

// bytesDots is what the assembly needs that multiplies quads of the rows of windows. A plane is
// copied to scratch memory, less 128, with bytes around it for the windows that reach beyond it, so
// that no window needs a check. It is divided into tiles of several rows by 16 or 8 columns.
type bytesDots struct {
	kernel, stride int
	strips         []bytesStrip
	pitch          int // from one row of the copy to the next
	size           int // bytes of the copy
	first          int // where the plane starts in it
	rows           int // of the plane that are copied
}

// bytesCall is the argument of the assembly. _neon/bytes depends on its layout, and on that of
// bytesStrip.
type bytesCall struct {
	in, out        unsafe.Pointer
	filter         *uint32
	strips         *bytesStrip
	stripCount     int
	pitch, stepOut int // bytes from one row to the next
	rows           int // of the output
	scale, bias    float32
	lo, hi         float32
	limits         [8]uint8 // lo and hi of results as bytes
	flags          uint64
}

// The bits of bytesCall.flags.
const (
	bytesFlag  = 1 << iota // results are bytes
	bytesClamp             // they are clamped, as float32 always are
)

// bytesStrip is a column of tiles.
type bytesStrip struct {
	// elements from the start of a row of the copy, and of the output, to the first column
	in, out int
	// Elements from the first column of the output to the last ones: as many bytes as half of the
	// columns of a tile, or a vector of float32.
	lastBytes, lastFloats int
	// bit 0: 8 columns rather than 16; bit 1: columns 8 to 11 are a whole vector
	kind uint64
	// Where the bytes of the last columns are among all results: of bytes, and of float32.
	bytes, floats [16]uint8
}

// bytesRows is the number of rows of a tile. _neon/bytes has the same.
const bytesRows = 4

// maxBytesPad is the largest number of elements before a plane for which bytesDots has room.
const maxBytesPad = 16

// hasDots reports whether there is assembly that multiplies bytes for such windows.
func hasDots(y, x *conv.Axis) bool {
	return cpu.DotProd.Available() && (y.Kernel == 3 || y.Kernel == 5) && y.Kernel == x.Kernel && y.Stride == x.Stride && y.Stride <= 2 &&
		y.Dilation == 1 && x.Dilation == 1 && y.PadBegin >= 0 && y.PadBegin <= maxBytesPad && x.PadBegin >= 0 && x.PadBegin <= maxBytesPad &&
		x.Input >= 4 && x.Output >= 4 && y.At(y.Output-1, y.Kernel-1) < y.Input+maxBytesPad && x.At(x.Output-1, x.Kernel-1) < x.Input+maxBytesPad
}

// floatsPay reports whether sums in float32 are faster than portable ones of bytes.
func floatsPay() bool { return cpu.NEON.Available() }

// maxBytesCopy is the largest number of bytes of the copy of a plane.
const maxBytesCopy = 1 << 22

// newBytesDots returns nil if there is no assembly for such windows, or if a plane is too large.
func newBytesDots(y, x *conv.Axis) *bytesDots {
	if !hasDots(y, x) {
		return nil
	}
	d := &bytesDots{kernel: y.Kernel, stride: y.Stride, rows: y.Input}
	for first := 0; first < x.Output; {
		columns := 16
		if x.Output-first <= 8 {
			columns = 8
		}
		n := min(columns, x.Output)
		at := x.Output - n // the last columns may repeat some of those before them
		if first+n <= x.Output {
			at = first
		}
		d.strips = append(d.strips, newBytesStrip(x, at, columns, n))
		first += columns
	}
	// Vectors of 16 bytes are read up to the third behind the first window of a strip.
	d.pitch = max(d.strips[len(d.strips)-1].in+3*16, x.PadBegin+x.Input+maxBytesPad)
	lines := max((conv.CeilDiv(y.Output, bytesRows)*bytesRows-1)*y.Stride+y.Kernel, y.PadBegin+y.Input)
	d.size = (lines + 1) * d.pitch
	d.first = y.PadBegin*d.pitch + x.PadBegin
	if d.size > maxBytesCopy {
		return nil
	}
	return d
}

// newBytesStrip returns the tiles of a number of columns, of which n are written, from column at
// on.
func newBytesStrip(x *conv.Axis, at, columns, n int) bytesStrip {
	s := bytesStrip{in: at * x.Stride, out: at, lastBytes: n - columns/2, lastFloats: n - 4}
	if columns == 8 {
		s.kind = 1
	} else if n >= 12 {
		s.kind = 2
	}
	for i := range s.bytes {
		s.bytes[i] = uint8(s.lastBytes + i)
		s.floats[i] = uint8(4*s.lastFloats + i)
	}
	return s
}

// scratch returns the number of elements of the scratch memory.
func (d *bytesDots) scratch() int { return conv.CeilDiv(d.size, 4) }

// filterLen returns the number of elements of a filter that has quads: with the start of the sums,
// as whole vectors.
func (d *bytesDots) filterLen(quads int) int { return conv.CeilDiv(quads+1, 4) * 4 }

// runAssembly computes planes. It returns false if there is no assembly.
func (d *Bytes) runAssembly(p *bytesPlanes) bool {
	dots := d.dots
	if dots == nil {
		return false
	}
	y, x := &d.y, &d.x
	padded := cast.Memory(p.scratch)[:dots.size]
	for i, outside := 0, p.line[0]-128; i < len(padded); i++ {
		padded[i] = outside
	}
	inPlane, outPlane := y.Input*x.Input, y.Output*x.Output
	call := bytesCall{strips: &dots.strips[0], stripCount: len(dots.strips), pitch: dots.pitch, stepOut: x.Output, lo: p.lo, hi: p.hi}
	if p.bytes != nil {
		call.flags = bytesFlag
		call.limits = [8]uint8{uint8(math.RoundToEven(float64(p.lo))), uint8(math.RoundToEven(float64(p.hi)))}
		if call.limits != [8]uint8{0, 255} {
			call.flags |= bytesClamp
		}
	} else {
		call.stepOut *= 4
	}
	for i := range p.count {
		if p.stop.Requested() {
			break
		}
		// The assembly does not check bounds.
		in, filter := p.in[i*inPlane:][:inPlane], p.filters[i*d.FilterLen():][:d.FilterLen()]
		flipRowsNEON(&padded[dots.first], &in[0], dots.rows, x.Input, dots.pitch)
		c := call
		c.in, c.filter, c.rows, c.scale, c.bias = unsafe.Pointer(&padded[0]), &filter[0], y.Output, p.scale[i], p.bias[i]
		if p.bytes != nil {
			c.out = unsafe.Pointer(&p.bytes[i*outPlane:][:outPlane][0])
		} else {
			c.out = unsafe.Pointer(&p.out[i*outPlane:][:outPlane][0])
		}
		dots.run(&c)
	}
	return true
}

// run computes a plane.
func (d *bytesDots) run(c *bytesCall) {
	p := (*byte)(unsafe.Pointer(c))
	switch {
	case d.kernel == 3 && d.stride == 1:
		dots3s1NEON(p)
	case d.kernel == 3:
		dots3s2NEON(p)
	case d.stride == 1:
		dots5s1NEON(p)
	default:
		dots5s2NEON(p)
	}
}

// bytesToFloatsVectors is bytesToFloats by assembly. It returns the number of elements that it has
// converted.
func bytesToFloatsVectors(to []float32, from []uint8, zero uint8) int {
	n := len(from) &^ 15
	if n == 0 || !cpu.NEON.Available() {
		return 0
	}
	_ = to[n-1] // the assembly does not check bounds
	bytesFloatsNEON(&to[0], &from[0], n, uint32(zero))
	return n
}

// finishVectors is finish by assembly. It returns false, and does nothing, if there is none, or if
// the planes are small.
func (p *bytesPlanes) finishVectors(sums []float32) bool {
	n := len(sums) / p.count
	if !cpu.NEON.Available() || n < 4 || n < 16 && p.bytes != nil {
		return false
	}
	_, _ = p.scale[p.count-1], p.bias[p.count-1] // the assembly does not check bounds
	for i := range p.count {
		from := sums[i*n:][:n]
		// The last vector may repeat elements of the one before.
		if p.bytes != nil {
			to, last := p.bytes[i*n:][:n], n-16
			finishBytesNEON(&to[0], &from[0], n&^15, p.scale[i], p.bias[i], p.lo, p.hi)
			finishBytesNEON(&to[last], &from[last], 16, p.scale[i], p.bias[i], p.lo, p.hi)
			continue
		}
		to, last := p.out[i*n:][:n], n-4
		finishFloatsNEON(&to[0], &from[0], n&^3, p.scale[i], p.bias[i], p.lo, p.hi)
		finishFloatsNEON(&to[last], &from[last], 4, p.scale[i], p.bias[i], p.lo, p.hi)
	}
	return true
}

// readsOutside returns false: the elements outside of the input are those of one plane.
func (d *Bytes) readsOutside() bool { return false }
