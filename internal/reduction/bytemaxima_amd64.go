//go:build amd64 && !noasm

package reduction

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

func hasByteMaxima() bool { return cpu.AVX2.Available() }

func hasWideByteMaxima() bool { return cpu.AVX512.Available() }

// byteMaximaCall is the argument of the assembly. _asm/windows.go depends on its layout.
type byteMaximaCall struct {
	in, dst               *uint8
	table                 *uint64
	rows, width           int // of the output
	inputRows, inputWidth int
	stride, dilation, top int // of the rows of the input; the windows of the first row of the output start at row top
	kernelY, kernelX      int
	first                 int // from the start of a row of the input to the first window; may be negative
	stepTap               int
	everySecond           int // 1 if the windows are two elements apart
}

// maximaLines is the argument of the assembly that computes a row of outputs. _asm/windows.go depends on its layout.
type maximaLines struct {
	out, in              *uint8
	pitch                int // from one line to the next
	rows, taps, dilation int
	vectors              int // of 32 outputs
	stride               int
}

// run computes a plane.
func (p *ByteMaxima) run(lines *byteLines, out, in []uint8) {
	if p.wide {
		p.runPlane(out, in)
	} else {
		p.runLines(lines, out, in)
	}
}

// runLines computes a plane row by row. The zeros around the lines stay as they are.
func (p *ByteMaxima) runLines(lines *byteLines, out, in []uint8) {
	y, x, pitch := &p.y, &p.x, p.line()
	pad := min(x.PadBegin, pitch)
	c := maximaLines{
		out: &lines.out[0], in: &lines.in[0], pitch: pitch, taps: x.Kernel, dilation: x.Dilation, vectors: (x.Output + 31) / 32, stride: x.Stride,
	}
	for o := range y.Output {
		c.rows = 0
		for k := range y.Kernel {
			at := o*y.Stride + k*y.Dilation - y.PadBegin
			if at < 0 || at >= y.Input {
				continue
			}
			copy(lines.in[c.rows*pitch:][pad:pitch], in[at*x.Input:][:x.Input])
			c.rows++
		}
		to := out[o*x.Output:][:x.Output]
		if c.rows == 0 {
			clear(to)
			continue
		}
		lineMaxima2((*byte)(unsafe.Pointer(&c)))
		copy(to, lines.out[:])
	}
}

// runPlane computes a plane in one call.
func (p *ByteMaxima) runPlane(out, in []uint8) {
	y, x := &p.y, &p.x
	c := byteMaximaCall{
		in: &in[0], dst: &out[0], table: &p.table[0], rows: y.Output, width: x.Output, inputRows: y.Input, inputWidth: x.Input,
		stride: y.Stride, dilation: y.Dilation, top: -y.PadBegin, kernelY: y.Kernel, kernelX: x.Kernel,
		first: -x.PadBegin, stepTap: x.Dilation, everySecond: x.Stride - 1,
	}
	byteMaxima512((*byte)(unsafe.Pointer(&c)))
}
