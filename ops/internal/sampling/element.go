package sampling

import (
	"math"
	"slices"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
)

// Numbers lists the element types that Load and Store accept.
var Numbers = []ir.ElementType{
	ir.F32, ir.F64, ir.F16, ir.BF16, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64,
}

// Reals lists the floating-point types of Numbers.
var Reals = Numbers[:4]

// Integers lists the types of Numbers that Integer accepts.
var Integers = Numbers[4:]

// Wide reports whether a layer of type t is computed in float64.
func Wide(t ir.ElementType) bool {
	switch t {
	case ir.F64, ir.I32, ir.I64, ir.U32, ir.U64:
		return true
	}
	return false
}

// isDirect reports whether the elements of type t are of type T.
func isDirect[T Float](t ir.ElementType) bool {
	return t == ir.F32 && unsafe.Sizeof(*new(T)) == 4 || t == ir.F64 && unsafe.Sizeof(*new(T)) == 8
}

// Load sets dst to the elements of t from element at on.
func Load[T Float](dst []T, t *ir.Tensor, at int) {
	n := len(dst)
	switch t.ElementType() {
	case ir.F32:
		convert(dst, ir.Data[float32](t)[at:at+n])
	case ir.F64:
		convert(dst, ir.Data[float64](t)[at:at+n])
	case ir.F16:
		src := ir.Data[uint16](t)[at : at+n]
		if unsafe.Sizeof(*new(T)) == 4 {
			half.F16sToF32s(cast.Slice[float32](dst), src)
			return
		}
		for i, v := range src {
			dst[i] = T(half.F16ToF32(v))
		}
	case ir.BF16:
		src := ir.Data[half.BFloat16](t)[at : at+n]
		if unsafe.Sizeof(*new(T)) == 4 {
			half.BF16sToF32s(cast.Slice[float32](dst), src)
			return
		}
		for i, v := range src {
			dst[i] = T(v.Float32())
		}
	case ir.I8:
		convert(dst, ir.Data[int8](t)[at:at+n])
	case ir.I16:
		convert(dst, ir.Data[int16](t)[at:at+n])
	case ir.I32:
		convert(dst, ir.Data[int32](t)[at:at+n])
	case ir.I64:
		convert(dst, ir.Data[int64](t)[at:at+n])
	case ir.U8:
		convert(dst, ir.Data[uint8](t)[at:at+n])
	case ir.U16:
		convert(dst, ir.Data[uint16](t)[at:at+n])
	case ir.U32:
		convert(dst, ir.Data[uint32](t)[at:at+n])
	case ir.U64:
		convert(dst, ir.Data[uint64](t)[at:at+n])
	default:
		panic("BUG: elements of type " + t.ElementType().String())
	}
}

func convert[D Float, S cast.Number](dst []D, src []S) {
	if unsafe.Sizeof(*new(D)) == unsafe.Sizeof(*new(S)) && S(1)/2 != 0 {
		copy(dst, cast.Slice[D](src))
		return
	}
	for i, v := range src {
		dst[i] = D(v)
	}
}

// Integer returns element at of a tensor of integers of 8 to 64 bits; the greatest int64 for
// greater numbers.
func Integer(t *ir.Tensor, at int) int64 {
	switch t.ElementType() {
	case ir.I8:
		return int64(ir.Data[int8](t)[at])
	case ir.I16:
		return int64(ir.Data[int16](t)[at])
	case ir.I32:
		return int64(ir.Data[int32](t)[at])
	case ir.I64:
		return ir.Data[int64](t)[at]
	case ir.U8:
		return int64(ir.Data[uint8](t)[at])
	case ir.U16:
		return int64(ir.Data[uint16](t)[at])
	case ir.U32:
		return int64(ir.Data[uint32](t)[at])
	case ir.U64:
		return int64(min(ir.Data[uint64](t)[at], math.MaxInt64))
	}
	panic("BUG: integers of type " + t.ElementType().String())
}

// IsInteger reports whether t is a type that Integer accepts.
func IsInteger(t ir.ElementType) bool { return slices.Contains(Integers, t) }

// Store sets the elements of t from element at on to src. Integers of 8 bits are rounded, with
// halves to even, and wider ones drop the fraction, as in OpenVINO. All are limited to their type;
// NaN is 0.
func Store[T Float](t *ir.Tensor, at int, src []T) {
	n := len(src)
	switch t.ElementType() {
	case ir.F32:
		storeFloats(ir.Data[float32](t)[at:at+n], src)
	case ir.F64:
		storeFloats(ir.Data[float64](t)[at:at+n], src)
	case ir.F16:
		dst := ir.Data[uint16](t)[at : at+n]
		if unsafe.Sizeof(*new(T)) == 4 {
			half.F32sToF16s(dst, cast.Slice[float32](src))
			return
		}
		for i, v := range src {
			dst[i] = half.F32ToF16(float32(v))
		}
	case ir.BF16:
		dst := ir.Data[half.BFloat16](t)[at : at+n]
		if unsafe.Sizeof(*new(T)) == 4 {
			half.F32sToBF16s(dst, cast.Slice[float32](src))
			return
		}
		for i, v := range src {
			dst[i] = half.BFloat16Of(float32(v))
		}
	case ir.I8:
		round(ir.Data[int8](t)[at:at+n], src, -1<<7, 1<<7-1)
	case ir.I16:
		truncate(ir.Data[int16](t)[at:at+n], src, -1<<15, 1<<15-1)
	case ir.I32:
		truncate(ir.Data[int32](t)[at:at+n], src, -1<<31, 1<<31-1)
	case ir.I64:
		truncate(ir.Data[int64](t)[at:at+n], src, -1<<63, 1<<63-1)
	case ir.U8:
		round(ir.Data[uint8](t)[at:at+n], src, 0, 1<<8-1)
	case ir.U16:
		truncate(ir.Data[uint16](t)[at:at+n], src, 0, 1<<16-1)
	case ir.U32:
		truncate(ir.Data[uint32](t)[at:at+n], src, 0, 1<<32-1)
	case ir.U64:
		truncate(ir.Data[uint64](t)[at:at+n], src, 0, 1<<64-1)
	default:
		panic("BUG: elements of type " + t.ElementType().String())
	}
}

func storeFloats[D, T Float](dst []D, src []T) {
	if unsafe.Sizeof(*new(D)) == unsafe.Sizeof(*new(T)) {
		copy(dst, cast.Slice[D](src))
		return
	}
	for i, v := range src {
		dst[i] = D(v)
	}
}

// truncate converts src to integers from lo to hi without their fraction.
func truncate[D cast.Number, T Float](dst []D, src []T, lo, hi D) {
	for i, v := range src {
		dst[i] = limit(v, lo, hi)
	}
}

// round converts src to the nearest integers from lo to hi.
func round[D cast.Number, T Float](dst []D, src []T, lo, hi D) {
	for i, v := range src {
		dst[i] = limit(math.RoundToEven(float64(v)), lo, hi)
	}
}

func limit[D cast.Number, T Float](v T, lo, hi D) D {
	switch {
	case v != v:
		return 0
	case v <= T(lo):
		return lo
	case v >= T(hi): // T(hi) can be hi+1, which does not fit D
		return hi
	}
	return D(v)
}
