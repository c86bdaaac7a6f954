//go:build !noasm

package gatherelements

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run . -out ../kernel_amd64.s -stubs ../kernel_stubs_amd64.go -pkg gatherelements"

// blockColumns is the length of the shortest row that the assembly gathers. It equals block in
// the generator.
const blockColumns = 32

// function is a function in assembly. See along8x32.
type function[T any, I indexType] func(out, data *T, indices *I, rows, width, pitch, advance, length, wrap, stride int) bool

// assembly returns the kernel in assembly. It returns nil for short rows, and for offsets greater
// than 31 bits.
func assembly[T uint8 | uint16 | uint32 | uint64, I indexType](p *plan) kernel {
	if !cpu.AVX2.Available() || p.pieceColumns < blockColumns {
		return nil
	}
	if int64(p.length)*int64(p.stride)+int64(p.width) > math.MaxInt32 {
		return nil
	}
	f, rest := functionOf[T, I](p.step == 1), loopOf[T, I](p)
	return func(p *plan, c piece, outMemory, dataMemory, indicesMemory []byte) bool {
		out, data, indices := cast.Bytes[T](outMemory), cast.Bytes[T](dataMemory), cast.Bytes[I](indicesMemory)
		if c.columns < blockColumns {
			return rest(p, c, out, data, indices)
		}
		last := (c.rows-1)*p.pitch + c.columns - 1
		out, indices = out[c.base:], indices[c.base:]
		data = data[c.from:]
		// Check the bounds of what the function reads and writes. It checks the indices itself.
		_, _ = out[last], indices[last]
		_ = data[(c.rows-1)*p.advance+(p.length-1)*p.stride+(c.columns-1)*p.step]
		return f(&out[0], &data[0], &indices[0], c.rows, c.columns, p.pitch, p.advance, p.length, p.wrap, p.stride)
	}
}

// functionOf returns the function for elements of type T.
func functionOf[T uint8 | uint16 | uint32 | uint64, I indexType](isAcross bool) function[T, I] {
	var f any
	switch any(function[T, I](nil)).(type) {
	case function[uint8, int32]:
		f = pick(isAcross, along8x32, across8x32)
	case function[uint16, int32]:
		f = pick(isAcross, along16x32, across16x32)
	case function[uint32, int32]:
		f = pick(isAcross, along32x32, across32x32)
	case function[uint64, int32]:
		f = pick(isAcross, along64x32, across64x32)
	case function[uint8, int64]:
		f = pick(isAcross, along8x64, across8x64)
	case function[uint16, int64]:
		f = pick(isAcross, along16x64, across16x64)
	case function[uint32, int64]:
		f = pick(isAcross, along32x64, across32x64)
	default: // uint64 and int64
		f = pick(isAcross, along64x64, across64x64)
	}
	return f.(function[T, I])
}

// pick returns one of two functions.
func pick[T any, I indexType](isAcross bool, along, across function[T, I]) function[T, I] {
	if isAcross {
		return across
	}
	return along
}
