//go:build amd64 && !noasm

package reduction

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

func hasFloatMaxima() bool { return cpu.AVX512.Available() }

// floatMaximaCall is the argument of the assembly. _asm/windows.go depends on its layout.
type floatMaximaCall struct {
	in, out               *float32
	table                 *floatStep
	planes, rows, steps   int // of the output
	inputRows, inputWidth int // the latter in bytes
	// of the rows of the input; the windows of the first row of the output start at row top
	stride, dilation, top int
	kernelY, kernelX      int
	planeIn               int // bytes from one plane of the input to the next
	row                   int // the rows of the current plane that are left
}

func (p *FloatMaxima) run(out, in []float32, first, n, planes int) bool {
	y, x := &p.y, &p.x
	c := floatMaximaCall{
		in: &in[0], out: &out[0], table: &p.steps[0], planes: planes, rows: n, steps: len(p.steps),
		inputRows: y.Input, inputWidth: 4 * x.Input, stride: y.Stride, dilation: y.Dilation, top: first*y.Stride - y.PadBegin,
		kernelY: y.Kernel, kernelX: x.Kernel, planeIn: 4 * y.Input * x.Input,
	}
	return floatMaxima512((*byte)(unsafe.Pointer(&c))) == 0
}
