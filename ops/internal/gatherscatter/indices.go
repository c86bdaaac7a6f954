package gatherscatter

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Wide adds an area for n indices to s. It returns a function that sets it to those of input port,
// by Widen, and one that returns it.
func Wide(s *ops.Scratch, port, n int) (widen func(*ops.Run), get func(*ops.Run) []int64) {
	area := ops.AreaOf[int64](s, n)
	return func(r *ops.Run) { Widen(r.Stop, area.In(r), r.Inputs[port]) }, area.In
}

// IndexTypes lists the types that Widen accepts: integers of whole bytes, smaller ones, and
// boolean.
var IndexTypes = []ir.ElementType{
	ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64, ir.U1, ir.U2, ir.U3, ir.U4, ir.U6, ir.I4, ir.Boolean,
}

// Integers lists the types of IndexTypes that are integers, and WholeIntegers those of whole bytes.
var (
	Integers      = IndexTypes[:14]
	WholeIntegers = IndexTypes[:8]
)

// Widen converts the elements of a tensor of integers or booleans to int64. A number greater than
// math.MaxInt64 becomes math.MaxInt64, which is out of range for every axis. It ends early if stop
// is requested.
func Widen(stop parallel.Stop, dst []int64, t *ir.Tensor) {
	meter := stop.Meter()
	switch t.ElementType() {
	case ir.I64:
		parallel.Copy(stop, dst, ir.Data[int64](t))
	case ir.I32:
		parallel.Convert(stop, dst[:t.Len()], ir.Data[int32](t), cast.Convert[int64, int32])
	case ir.I16:
		parallel.Convert(stop, dst[:t.Len()], ir.Data[int16](t), cast.Convert[int64, int16])
	case ir.I8:
		parallel.Convert(stop, dst[:t.Len()], ir.Data[int8](t), cast.Convert[int64, int8])
	case ir.U8, ir.Boolean:
		parallel.Convert(stop, dst[:t.Len()], ir.Data[uint8](t), cast.Convert[int64, uint8])
	case ir.U16:
		parallel.Convert(stop, dst[:t.Len()], ir.Data[uint16](t), cast.Convert[int64, uint16])
	case ir.U32:
		parallel.Convert(stop, dst[:t.Len()], ir.Data[uint32](t), cast.Convert[int64, uint32])
	case ir.U64:
		for i, v := range ir.Data[uint64](t) {
			if meter.Spent(1) {
				return
			}
			dst[i] = int64(min(v, math.MaxInt64))
		}
	case ir.I4:
		for i := range t.Len() {
			if meter.Spent(8) {
				return
			}
			dst[i] = int64(int8(t.Packed(i)<<4) >> 4)
		}
	default: // u1, u2, u3, u4, u6
		for i := range t.Len() {
			if meter.Spent(8) {
				return
			}
			dst[i] = int64(t.Packed(i))
		}
	}
}

// Check returns the error of the first index that is less than lo or greater than hi, or
// parallel.ErrStopped if r must stop. indices are the elements of the tensor at the given port.
func Check[I index.Integer](r *ops.Run, port int, indices []I, lo, hi int64) error {
	for at := 0; at < len(indices); at += checkIndices {
		if r.Stop.Requested() {
			return parallel.ErrStopped
		}
		if i := index.Check(indices[at:min(at+checkIndices, len(indices))], lo, hi); i >= 0 {
			return IndexError(r.Inputs[port], at+i, lo, hi)
		}
	}
	return nil
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
	Widen(nil, wide, t)
	e.Value = wide[position]
	return e
}
