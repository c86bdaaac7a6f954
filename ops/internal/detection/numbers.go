package detection

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
)

// Loader returns n elements of a tensor of one type from lo on, as T. It converts them to dst,
// which has room for n, unless HasType[T] is true for the type of the tensor: then it returns those
// in its memory, which must not be changed.
type Loader[T Float] func(dst []T, from *ir.Tensor, lo, n int) []T

// HasType reports whether elements of type t are of type T in memory.
func HasType[T Float](t ir.ElementType) bool {
	_, wide := any(T(0)).(float64)
	return t == ir.F64 && wide || t == ir.F32 && !wide
}

// LoaderOf returns the Loader for elements of type t, a floating-point type; name is that of the
// input, for the error.
func LoaderOf[T Float](name string, t ir.ElementType) (Loader[T], error) {
	switch {
	case HasType[T](t):
		return func(_ []T, from *ir.Tensor, lo, n int) []T { return ir.Data[T](from)[lo : lo+n : lo+n] }, nil
	case t == ir.F32:
		return convertFrom[T, float32], nil
	case t == ir.F64:
		return convertFrom[T, float64], nil
	case t == ir.F16:
		return widenFrom[T](half.F16ToF32), nil
	case t == ir.BF16:
		return widenFrom[T](half.BFloat16.Float32), nil
	}
	return nil, faults.Errorf("%s is %v, expected f32, f64, f16 or bf16", name, t)
}

func convertFrom[T, S Float](dst []T, from *ir.Tensor, lo, n int) []T {
	for i, v := range ir.Data[S](from)[lo : lo+n] {
		dst[i] = T(v)
	}
	return dst[:n]
}

func widenFrom[T Float, H uint16 | half.BFloat16](widen func(H) float32) Loader[T] {
	return func(dst []T, from *ir.Tensor, lo, n int) []T {
		for i, v := range ir.Data[H](from)[lo : lo+n] {
			dst[i] = T(widen(v))
		}
		return dst[:n]
	}
}

// CheckNumbers returns an error unless NumberAt reads elements of type t; name is that of the
// input.
func CheckNumbers(name string, t ir.ElementType) error {
	_, err := LoaderOf[float32](name, t)
	return err
}

// NumberAt returns element i of a tensor of one of the types of CheckNumbers.
func NumberAt[T Float](t *ir.Tensor, i int) T {
	switch t.ElementType() {
	case ir.F32:
		return T(ir.Data[float32](t)[i])
	case ir.F64:
		return T(ir.Data[float64](t)[i])
	case ir.F16:
		return T(half.F16ToF32(ir.Data[uint16](t)[i]))
	}
	return T(ir.Data[half.BFloat16](t)[i].Float32())
}

// Reader reads single elements of a tensor of one of the types of CheckNumbers.
type Reader[T Float] struct {
	numbers []T // the elements, if they have the type T
	t       *ir.Tensor
}

// ReaderOf returns the Reader of a tensor.
func ReaderOf[T Float](t *ir.Tensor) Reader[T] {
	r := Reader[T]{t: t}
	if HasType[T](t.ElementType()) {
		r.numbers = ir.Data[T](t)
	}
	return r
}

// At returns element i.
func (r *Reader[T]) At(i int) T {
	if r.numbers != nil {
		return r.numbers[i]
	}
	return NumberAt[T](r.t, i)
}

// WriteNumber writes v as element i of a tensor of one of the types of CheckNumbers.
func WriteNumber[T Float](t *ir.Tensor, i int, v T) {
	switch t.ElementType() {
	case ir.F32:
		ir.Data[float32](t)[i] = float32(v)
	case ir.F64:
		ir.Data[float64](t)[i] = float64(v)
	case ir.F16:
		ir.Data[uint16](t)[i] = half.F32ToF16(float32(v))
	default:
		ir.Data[half.BFloat16](t)[i] = half.BFloat16Of(float32(v))
	}
}
