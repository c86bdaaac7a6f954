package detection

import (
	"slices"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/floats"
	"github.com/vinoir/vinoir/ops/internal/widened"
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
	case !slices.Contains(floats.Types, t):
		return nil, faults.Errorf("%s is %v, expected f32, f64, f16 or bf16", name, t)
	}
	if c := widened.Find(widened.Halves, t); c != nil && HasType[T](c.To) {
		return func(dst []T, from *ir.Tensor, lo, n int) []T {
			c.Load(nil, cast.Memory(dst[:n]), from, lo)
			return dst[:n]
		}, nil
	}
	return func(dst []T, from *ir.Tensor, lo, n int) []T {
		for i := range dst[:n] {
			dst[i] = NumberAt[T](from, lo+i)
		}
		return dst[:n]
	}, nil
}

// CheckNumbers returns an error unless NumberAt reads elements of type t; name is that of the
// input.
func CheckNumbers(name string, t ir.ElementType) error {
	_, err := LoaderOf[float32](name, t)
	return err
}

// NumberAt returns element i of a tensor of one of the types of CheckNumbers.
func NumberAt[T Float](t *ir.Tensor, i int) T { return T(floats.At(t, i)) }

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
func WriteNumber[T Float](t *ir.Tensor, i int, v T) { floats.Set(t, i, float64(v)) }
