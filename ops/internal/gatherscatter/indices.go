package gatherscatter

import (
	"fmt"
	"math"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
)

// WidenBytes returns the number of bytes that n indices need after Widen.
func WidenBytes(n int) (int, error) {
	if n > math.MaxInt/8 {
		return 0, fmt.Errorf("%d indices need more scratch bytes than fit an int", n)
	}
	return 8 * n, nil
}

// Widen converts the elements of a tensor of integers or booleans to int64. A number greater
// than math.MaxInt64 becomes math.MaxInt64, which is out of range for every axis.
func Widen(dst []int64, t *ir.Tensor) {
	switch t.ElementType() {
	case ir.I64:
		copy(dst, ir.Data[int64](t))
	case ir.I32:
		widen(dst, ir.Data[int32](t))
	case ir.I16:
		widen(dst, ir.Data[int16](t))
	case ir.I8:
		widen(dst, ir.Data[int8](t))
	case ir.U8, ir.Boolean:
		widen(dst, ir.Data[uint8](t))
	case ir.U16:
		widen(dst, ir.Data[uint16](t))
	case ir.U32:
		widen(dst, ir.Data[uint32](t))
	case ir.U64:
		for i, v := range ir.Data[uint64](t) {
			dst[i] = int64(min(v, math.MaxInt64))
		}
	case ir.I4:
		for i := range t.Len() {
			dst[i] = int64(int8(t.Packed(i)<<4) >> 4)
		}
	default: // u1, u2, u3, u4, u6
		for i := range t.Len() {
			dst[i] = int64(t.Packed(i))
		}
	}
}

func widen[T index.Integer](dst []int64, src []T) {
	for i, v := range src {
		dst[i] = int64(v)
	}
}

// IndexError returns the error for the index at the given position of a tensor of indices.
// Indices from lo to hi are valid.
func IndexError(t *ir.Tensor, position int, lo, hi int64) error {
	e := &index.Error{Position: index.Position(position, t.Shape()), Lo: lo, Hi: hi}
	if t.ElementType() == ir.U64 {
		v := ir.Data[uint64](t)[position]
		e.Value, e.Unsigned = int64(v), true
		return e
	}
	wide := make([]int64, t.Len())
	Widen(wide, t)
	e.Value = wide[position]
	return e
}
