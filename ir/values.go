package ir

import (
	"strconv"

	"github.com/x448/float16"

	"github.com/vinoir/vinoir/internal/half"
)

// Values returns a function that returns element i of t as a number, rounded if it is an integer
// beyond 2^53. For types without arithmetic, such as f8e4m3 and those below a byte, the number is
// the bits of the element. t must not be of strings or complex numbers.
func (t *Tensor) Values() func(i int) float64 {
	switch et := t.ElementType(); et {
	case F16:
		data := Data[float16.Float16](t)
		return func(i int) float64 { return float64(data[i].Float32()) }
	case BF16:
		data := Data[half.BFloat16](t)
		return func(i int) float64 { return float64(data[i].Float32()) }
	case F32:
		return numbers[float32](t)
	case F64:
		return numbers[float64](t)
	case I8:
		return numbers[int8](t)
	case I16:
		return numbers[int16](t)
	case I32:
		return numbers[int32](t)
	case I64:
		return numbers[int64](t)
	case U16:
		return numbers[uint16](t)
	case U32:
		return numbers[uint32](t)
	case U64:
		return numbers[uint64](t)
	default:
		if et.Size() == 1 {
			return numbers[uint8](t)
		}
		return func(i int) float64 { return float64(t.Packed(i)) }
	}
}

func numbers[T float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](t *Tensor) func(i int) float64 {
	data := Data[T](t)
	return func(i int) float64 { return float64(data[i]) }
}

// SetValue sets element i to v, rounded to the nearest if t is of floats; a number beyond the type
// becomes an infinity. Integers, and types without arithmetic such as f8e4m3, get the lowest bits
// of the integer part of v, and strings its digits. t must not be of complex numbers.
func (t *Tensor) SetValue(i int, v float64) {
	switch et := t.ElementType(); et {
	case F64:
		Data[float64](t)[i] = v
	case F32:
		Data[float32](t)[i] = float32(v)
	case F16:
		Data[float16.Float16](t)[i] = float16.Fromfloat32(float32(v))
	case BF16:
		Data[half.BFloat16](t)[i] = half.BFloat16Of(float32(v))
	case Boolean:
		Data[uint8](t)[i] = uint8(int64(v) & 1)
	case String:
		t.Strings()[i] = strconv.FormatFloat(v, 'g', -1, 64)
	default:
		bits := uint64(int64(v))
		switch et.Size() {
		case 1:
			t.Bytes()[i] = uint8(bits)
		case 2:
			Data[uint16](t)[i] = uint16(bits)
		case 4:
			Data[uint32](t)[i] = uint32(bits)
		case 8:
			Data[uint64](t)[i] = bits
		default:
			t.SetPacked(i, uint8(bits)&(1<<et.Bits()-1))
		}
	}
}
