package infloat32

import (
	"errors"
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

var errTooLarge = errors.New("the copies in float32 are larger than fit memory")

func typeError(i int, got, want ir.ElementType) error {
	return faults.Errorf("input %d is %v, the output %v", i, got, want)
}

// limits returns the least and the largest float32 in the range of an integer type.
func limits(t ir.ElementType) (least, most float32) {
	bits := 8 * t.Size()
	if t.Kind() == ir.KindSigned {
		bits--
		least = -float32(math.Ldexp(1, bits))
	}
	if bits > 24 { // the largest integer of the type is no float32
		return least, math.Nextafter32(float32(math.Ldexp(1, bits)), 0)
	}
	return least, float32(math.Ldexp(1, bits)) - 1
}

// load converts elements of type t.
func load(t ir.ElementType, dst []float32, src []byte) {
	switch t {
	case ir.I8:
		cast.Convert(dst, cast.Bytes[int8](src))
	case ir.I16:
		cast.Convert(dst, cast.Bytes[int16](src))
	case ir.I32:
		cast.Convert(dst, cast.Bytes[int32](src))
	case ir.I64:
		cast.Convert(dst, cast.Bytes[int64](src))
	case ir.U8:
		cast.Convert(dst, src)
	case ir.U16:
		cast.Convert(dst, cast.Bytes[uint16](src))
	case ir.U32:
		cast.Convert(dst, cast.Bytes[uint32](src))
	default:
		cast.Convert(dst, cast.Bytes[uint64](src))
	}
}

// store converts integers to elements of type t. NaN is 0.
func store(t ir.ElementType, dst []byte, src []float32) {
	switch t {
	case ir.I8, ir.U8:
		for i, v := range src {
			dst[i] = uint8(integer(v))
		}
	case ir.I16, ir.U16:
		for i, d := 0, cast.Bytes[uint16](dst); i < len(src); i++ {
			d[i] = uint16(integer(src[i]))
		}
	case ir.I32, ir.U32:
		for i, d := 0, cast.Bytes[uint32](dst); i < len(src); i++ {
			d[i] = uint32(integer(src[i]))
		}
	case ir.I64:
		for i, d := 0, cast.Bytes[int64](dst); i < len(src); i++ {
			d[i] = integer(src[i])
		}
	default:
		for i, d := 0, cast.Bytes[uint64](dst); i < len(src); i++ {
			if d[i] = uint64(integer(src[i])); src[i] >= 1<<63 {
				d[i] = uint64(integer(src[i]-1<<63)) | 1<<63
			}
		}
	}
}

// integer returns a number that fits an int64, or 0 for NaN.
func integer(v float32) int64 {
	if v != v || v >= 1<<63 {
		return 0
	}
	return int64(v)
}
