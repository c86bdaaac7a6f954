package bucketize

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/subnormal"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/floats"
	"github.com/vinoir/vinoir/ops/internal/search"
)

// number is a boundary of any type.
type number struct {
	kind     ir.Kind
	signed   int64
	unsigned uint64
	float    float64
}

// loaderOf returns the function that reads element i of buckets of type t.
func loaderOf(t ir.ElementType) (func(*ir.Tensor, int) number, error) {
	switch t {
	case ir.F32, ir.F64, ir.F16, ir.BF16:
		return func(t *ir.Tensor, i int) number { return number{kind: ir.KindFloat, float: floats.At(t, i)} }, nil
	case ir.I8:
		return loadSigned[int8], nil
	case ir.I16:
		return loadSigned[int16], nil
	case ir.I32:
		return loadSigned[int32], nil
	case ir.I64:
		return loadSigned[int64], nil
	case ir.U8:
		return loadUnsigned[uint8], nil
	case ir.U16:
		return loadUnsigned[uint16], nil
	case ir.U32:
		return loadUnsigned[uint32], nil
	case ir.U64:
		return loadUnsigned[uint64], nil
	}
	return nil, faults.Errorf("buckets of type %v have no kernel", t)
}

func loadSigned[T int8 | int16 | int32 | int64](t *ir.Tensor, i int) number {
	return number{kind: ir.KindSigned, signed: int64(ir.Data[T](t)[i])}
}

func loadUnsigned[T uint8 | uint16 | uint32 | uint64](t *ir.Tensor, i int) number {
	return number{kind: ir.KindUnsigned, unsigned: uint64(ir.Data[T](t)[i])}
}

// place is where a boundary is among the numbers of a type: within them, below or above all. NaN is
// above.
type place uint8

const (
	within place = iota
	below
	above
)

// The functions below convert a boundary b to a type without loss for the comparison with numbers v
// of that type: b < v is the same for the greatest number of the type up to b, which is used if
// down is true, and b <= v is the same for the smallest number from b on.

// toInt returns the conversion to an integer type with the given limits.
func toInt[T search.Number](lo int64, hi uint64) func(b number, down bool) (T, place) {
	return func(b number, down bool) (T, place) {
		switch b.kind {
		case ir.KindSigned:
			switch {
			case b.signed < lo:
				return 0, below
			case b.signed > 0 && uint64(b.signed) > hi:
				return 0, above
			}
			return T(b.signed), within
		case ir.KindUnsigned:
			if b.unsigned > hi {
				return 0, above
			}
			return T(b.unsigned), within
		}
		whole := math.Ceil(b.float)
		if down {
			whole = math.Floor(b.float)
		}
		end := 2 * float64(hi/2+1) // hi+1, a power of two, is exact
		switch {
		case whole < float64(lo):
			return 0, below
		case whole < 0:
			return T(int64(whole)), within
		case whole < end:
			return T(uint64(whole)), within
		}
		return 0, above
	}
}

func toFloat64(b number, down bool) (float64, place) {
	f, order := b.float, 0 // order is the sign of f minus the boundary
	switch b.kind {
	case ir.KindSigned:
		f = float64(b.signed)
		if f >= 1<<63 || int64(f) > b.signed {
			order = 1
		} else if int64(f) < b.signed {
			order = -1
		}
	case ir.KindUnsigned:
		f = float64(b.unsigned)
		if f >= 1<<64 || uint64(f) > b.unsigned {
			order = 1
		} else if uint64(f) < b.unsigned {
			order = -1
		}
	default:
		if math.IsNaN(f) {
			return 0, above
		}
	}
	switch {
	case down && order > 0:
		f = math.Nextafter(f, math.Inf(-1))
	case !down && order < 0:
		f = math.Nextafter(f, math.Inf(1))
	}
	return f, within
}

func toFloat32(b number, down bool) (float32, place) {
	wide, where := toFloat64(b, down)
	f := float32(wide)
	switch {
	case down && float64(f) > wide:
		f = subnormal.Next(f, false)
	case !down && float64(f) < wide:
		f = subnormal.Next(f, true)
	}
	return f, where
}
