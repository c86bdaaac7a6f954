//go:build amd64 && !noasm

package pointwise

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run . -out ../pointwise_amd64.s -stubs ../stubs_amd64.go -pkg pointwise"

// call is the argument of the assembly. _asm depends on its layout.
type call struct {
	out, in, filters, bias *float32
	sum                    *float32 // nil if nothing is added
	// distances in bytes from one channel to the next, in the input and in the output, and from one
	// filter to the next
	inStep, outStep, filterStep int
	depth                       int // input channels
	tiles, rest                 int // whole tiles, and columns after them
	lo, hi                      float32
	clamp                       uint32 // 1: clamp to lo and hi
}

// available reports whether there is assembly.
func available() bool { return cpu.FMA.Available() }

// isWide reports whether package implicit has vectors of AVX-512.
func isWide() bool { return cpu.AVX512.Available() }

// run computes columns of a number of output channels, at most rows. It changes c.
func (c *call) run(rows int) {
	p := (*byte)(unsafe.Pointer(c))
	switch rows {
	case 4:
		rows4AVX2(p)
	case 3:
		rows3AVX2(p)
	case 2:
		rows2AVX2(p)
	case 1:
		rows1AVX2(p)
	}
}
