package nonzero

import "github.com/vinoir/vinoir/ir"

// indicesFunc writes i-start to out for each nonzero element i from lo to hi-1 of data, but at most
// len(out) of them. It returns the number of written indices.
type indicesFunc[T int32 | int64] func(out []T, data *ir.Tensor, lo, hi, start int) int

// walker counts and finds nonzero elements of one type.
type walker struct {
	// count returns the number of nonzero elements from lo to hi-1.
	count     func(data *ir.Tensor, lo, hi int) int
	indices32 indicesFunc[int32]
	indices64 indicesFunc[int64]
}

// walkerOf returns the walker for a type; the zero walker if the kernel does not support the type.
// Floats are treated as bits without the sign bit.
func walkerOf(t ir.ElementType) walker {
	switch t {
	case ir.Boolean, ir.I8, ir.U8:
		return walk[uint8](0xff)
	case ir.I16, ir.U16:
		return walk[uint16](0xffff)
	case ir.F16, ir.BF16:
		return walk[uint16](0x7fff)
	case ir.I32, ir.U32:
		return walk[uint32](0xffffffff)
	case ir.F32:
		return walk[uint32](0x7fffffff)
	case ir.I64, ir.U64:
		return walk[uint64](1<<64 - 1)
	case ir.F64:
		return walk[uint64](1<<63 - 1)
	}
	return walker{}
}

type bits interface {
	uint8 | uint16 | uint32 | uint64
}

// walk returns the walker for elements that are zero if all their bits in mask are 0. It is not
// inlined: copies of its closure would take 2.1 KiB.
//
//go:noinline
func walk[E bits](mask E) walker {
	return walker{
		count: func(data *ir.Tensor, lo, hi int) int {
			return count(ir.Data[E](data)[lo:hi], mask)
		},
		indices32: func(out []int32, data *ir.Tensor, lo, hi, start int) int {
			return indices(out, ir.Data[E](data)[lo:hi], mask, lo-start)
		},
		indices64: func(out []int64, data *ir.Tensor, lo, hi, start int) int {
			return indices(out, ir.Data[E](data)[lo:hi], mask, lo-start)
		},
	}
}

func count[E bits](data []E, mask E) int {
	n := 0
	for ; len(data) >= 8; data = data[8:] {
		b := (*[8]E)(data)
		if zeros(b, mask) {
			continue
		}
		for _, v := range b {
			if v&mask != 0 {
				n++
			}
		}
	}
	for _, v := range data {
		if v&mask != 0 {
			n++
		}
	}
	return n
}

// zeros reports whether eight elements are all zero. In sparse data, most such blocks are.
func zeros[E bits](b *[8]E, mask E) bool {
	return (b[0]|b[1]|b[2]|b[3]|b[4]|b[5]|b[6]|b[7])&mask == 0
}

// indices writes the index of every element to out, but only advances in out if the element is not
// zero. A branch for each element would be mispredicted too often.
func indices[E bits, T int32 | int64](out []T, data []E, mask E, first int) int {
	n := 0
	for i := 0; i < len(data) && n < len(out); {
		block := data[i:min(i+8, len(data))]
		if len(block) == 8 && zeros((*[8]E)(block), mask) {
			i += 8
			continue
		}
		for _, v := range block {
			if n == len(out) {
				break
			}
			out[n] = T(first + i)
			if v&mask != 0 {
				n++
			}
			i++
		}
	}
	return n
}
