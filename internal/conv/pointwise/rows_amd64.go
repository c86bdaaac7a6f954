//go:build amd64 && !noasm

package pointwise

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run . -out ../pointwise_amd64.s -stubs ../stubs_amd64.go -pkg pointwise"

// call is the argument of the assembly. _asm depends on its layout.
type call struct {
	out               unsafe.Pointer // to float32 or bytes
	in, filters, bias *float32
	sum               *float32 // nil if nothing is added
	// distances in bytes from one channel to the next, in the input and in the output, and from one
	// filter to the next
	inStep, outStep, filterStep int
	depth                       int // input channels
	tiles, rest                 int // whole tiles, and columns after them
	lo, hi                      float32
	clamp                       uint32   // 1: clamp to lo and hi
	bytes                       uint32   // 1: out is bytes, and rest a multiple of 8
	scale                       *float32 // of each output channel; nil if there is none
}

// toFloats sets to[i] to from[i].
func toFloats(to []float32, from []uint8) {
	n := len(from) &^ 7
	if n > 0 {
		_ = to[n-1] // the assembly does not check bounds
		toFloatsAVX2(&to[0], &from[0], n)
	}
	for i, v := range from[n:] {
		to[n+i] = float32(v)
	}
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
