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
	// of the rows of the input; the windows of the first row of the output start at row top
	stride, dilation, top int
	kernelY, kernelX      int
	// from the start of a row of the input to the first window; may be negative
	first       int
	stepTap     int
	everySecond int // 1 if the windows are two elements apart
}

// run computes a plane.
func (p *ByteMaxima) run(lines *byteLines, out, in []uint8) {
	if p.wide {
		p.runPlane(out, in)
	} else {
		p.runLines(lines, out, in)
	}
}

// run computes a row of outputs.
func (c *maximaLines) run() { lineMaxima2((*byte)(unsafe.Pointer(c))) }

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
