//go:build !noasm

package depthwise

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/cpu"
)

// bytesDots is what the assembly for AVX-VNNI needs. AVX2 has no masks for bytes, so a plane is
// copied first, with what is outside of it.
type bytesDots struct {
	shuffle     [32]uint8 // the places of the quads of four windows in 16 bytes, twice
	rows, pitch int       // of the copy
	vectors     int       // of a row of the output
	outputs     int       // of a plane
}

const (
	// dotsLanes is the number of outputs of a vector.
	dotsLanes = 8
	// maxBytesCopy is the largest number of bytes of the copy of a plane.
	maxBytesCopy = 1 << 22
	// Sums of float32 are faster for windows of more than maxDotsQuads quads, or for fewer than
	// minDotsOutputs outputs of a plane.
	maxDotsQuads, minDotsOutputs = 3, 28 * 28
)

// dotsCall is the argument of the assembly. _asm/bytes depends on its layout. Steps are in bytes.
type dotsCall struct {
	in            *uint8 // the copy
	out           *float32
	filter        *uint32
	shuffle       *uint8
	rows, vectors int // of the output
	// from one row of the output to the next, in the output and in the copy; from one row of a
	// window to the next
	stepOut, stepRow, stepLine int
	kernel, quads              int // rows of the filter, and quads of a row of it
	// from one quad to the next, from one vector to the next in the copy, and to its last four
	// windows
	stepQuad, stepVector, half int
}

// newBytesDots returns nil if there is no assembly for such windows, if there is a better one, or
// if a plane is too large.
func newBytesDots(y, x *conv.Axis) *bytesDots {
	if !cpu.AVXVNNI.Available() || cpu.AVX512VNNI.Available() || 3*(x.Stride+x.Dilation) >= 16 {
		return nil
	}
	d := &bytesDots{vectors: conv.CeilDiv(x.Output, dotsLanes), outputs: y.Output * x.Output}
	if y.Kernel*conv.CeilDiv(x.Kernel, quadTaps) > maxDotsQuads || d.outputs < minDotsOutputs {
		return nil
	}
	d.rows = (y.Output-1)*y.Stride + (y.Kernel-1)*y.Dilation + 1
	// The last quad of the last window is read with the 16 bytes from the window four outputs
	// before it on, or from itself on.
	d.pitch = d.vectors*dotsLanes*x.Stride + conv.CeilDiv(x.Kernel, quadTaps)*quadTaps*x.Dilation + 16
	if float64(d.rows)*float64(d.pitch) > maxBytesCopy {
		return nil
	}
	for i := range d.shuffle {
		d.shuffle[i] = uint8(i/quadTaps%4*x.Stride + i%quadTaps*x.Dilation)
	}
	return d
}

// scratch returns the number of elements for the copy and for the sums of a plane, of which the
// last vector may be partly filled.
func (d *bytesDots) scratch() int { return conv.CeilDiv(d.rows*d.pitch, 4) + d.outputs + dotsLanes }

func (d *bytesDots) filterLen(quads int) int { return quads + 1 }

// runDots computes planes by AVX-VNNI.
func (d *Bytes) runDots(p *bytesPlanes) {
	y, x, o := &d.y, &d.x, d.dots
	size := conv.CeilDiv(o.rows*o.pitch, 4)
	plane, sums := cast.Memory(p.scratch[:size]), p.scratch[size:][:o.outputs+dotsLanes]
	for at := 0; at < len(plane); {
		at += copy(plane[at:], p.line)
	}
	c := dotsCall{
		in: &plane[0], out: &sums[0], shuffle: &o.shuffle[0], rows: y.Output, vectors: o.vectors,
		stepOut: 4 * x.Output, stepRow: o.pitch * y.Stride, stepLine: o.pitch * y.Dilation, kernel: y.Kernel, quads: d.quads,
		stepQuad: quadTaps * x.Dilation, stepVector: dotsLanes * x.Stride, half: dotsLanes / 2 * x.Stride,
	}
	inPlane := y.Input * x.Input
	for i := 0; i < p.count && !p.stop.Requested(); i++ {
		from := p.in[i*inPlane:][:inPlane]
		for row := max(y.PadBegin, 0); row < min(o.rows, y.PadBegin+y.Input); row++ {
			first := max(x.PadBegin, 0)
			if line := from[(row-y.PadBegin)*x.Input:][:x.Input]; first-x.PadBegin < len(line) {
				copy(plane[row*o.pitch+first:(row+1)*o.pitch], line[first-x.PadBegin:])
			}
		}
		filter := p.filters[i*d.FilterLen():][:d.FilterLen()]
		c.filter = &filter[0]
		if y.Kernel == 3 && d.quads == 1 {
			depthwiseDots3((*byte)(unsafe.Pointer(&c)))
		} else {
			depthwiseDots((*byte)(unsafe.Pointer(&c)))
		}
		one := *p
		one.count, one.scale, one.bias = 1, p.scale[i:][:1], p.bias[i:][:1]
		if p.bytes != nil {
			one.bytes = p.bytes[i*o.outputs:][:o.outputs]
		} else {
			one.out = p.out[i*o.outputs:][:o.outputs]
		}
		one.finish(sums[:o.outputs])
	}
}
