package ir

import (
	"errors"
	"reflect"
	"strconv"

	"github.com/x448/float16"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/half"
)

// Scalar lists the Go types that correspond to one element type each. Functions of an Element, in
// contrast, accept every Go type of the right size.
type Scalar interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 |
		float16.Float16 | BFloat16 | float32 | float64 | complex64 | complex128 | string
}

// BFloat16 is the Go type of the element type bf16. It holds the upper 16 bits of a float32.
type BFloat16 = half.BFloat16

// BFloat16Of returns f rounded to the nearest BFloat16, ties to even.
func BFloat16Of(f float32) BFloat16 { return half.BFloat16Of(f) }

// ElementTypeOf returns the element type that corresponds to T.
func ElementTypeOf[T Scalar]() ElementType {
	var zero T
	switch any(zero).(type) {
	case bool:
		return Boolean
	case int8:
		return I8
	case int16:
		return I16
	case int32:
		return I32
	case int64:
		return I64
	case uint8:
		return U8
	case uint16:
		return U16
	case uint32:
		return U32
	case uint64:
		return U64
	case float16.Float16:
		return F16
	case BFloat16:
		return BF16
	case float32:
		return F32
	case float64:
		return F64
	case complex64:
		return Complex64
	case complex128:
		return Complex128
	}
	return String
}

// DataOf returns the elements of t in row-major order. It is an error if t is nil or if T does not
// correspond to the element type of t. The slice shares the memory of t, except if T is bool.
// Booleans are copied, because a byte of a boolean tensor may have any value; every value except 0
// is true.
func DataOf[T Scalar](t *Tensor) ([]T, error) {
	if t == nil {
		return nil, errors.New("the tensor is nil")
	}
	if want := ElementTypeOf[T](); t.elementType != want {
		return nil, faults.Errorf("the tensor is %v%v, not of type %v", t.elementType, t.shape, want)
	}
	switch t.elementType {
	case String:
		return cast.Slice[T](t.strings), nil
	case Boolean:
		values := make([]bool, t.Len())
		for i, b := range t.Bytes() {
			values[i] = b != 0
		}
		return cast.Slice[T](values), nil
	}
	return cast.Bytes[T](t.Bytes()), nil
}

// TensorFrom returns a tensor with a copy of data. data is a Scalar, or a slice or array of
// Scalars, which may be nested. int counts as int64, and uint as uint64. Other Go types, such as
// those that a program defines, are an error.
//
// Without a shape, the shape consists of the lengths of data at each depth. All lists of one depth
// must have the same length. With a shape, data must have as many elements as the shape. They are
// in row-major order, and the nesting of data is ignored.
//
//	TensorFrom([][]float32{{1, 2}, {3, 4}})      // f32[2,2]
//	TensorFrom([]float32{1, 2, 3, 4}, 1, 2, 2)   // f32[1,2,2]
//	TensorFrom(int64(7))                         // i64[]
func TensorFrom(data any, shape ...int) (*Tensor, error) {
	v := reflect.ValueOf(data)
	if !v.IsValid() {
		return nil, errors.New("the data is nil")
	}
	scalar, lengths := lengthsOf(v)
	if len(lengths) > maxDepth {
		return nil, faults.Errorf("%T nests lists deeper than %d", data, maxDepth)
	}
	equal := len(shape) == 0
	if equal {
		shape = lengths
	}
	n, err := countElements(v, lengths, equal, "")
	if err != nil {
		return nil, err
	}
	switch reflect.Zero(scalar).Interface().(type) {
	case bool:
		return TensorOf(Boolean, shape, flatten[bool](v, n))
	case int:
		return TensorOf(I64, shape, as64[int64](flatten[int](v, n)))
	case int8:
		return TensorOf(I8, shape, flatten[int8](v, n))
	case int16:
		return TensorOf(I16, shape, flatten[int16](v, n))
	case int32:
		return TensorOf(I32, shape, flatten[int32](v, n))
	case int64:
		return TensorOf(I64, shape, flatten[int64](v, n))
	case uint:
		return TensorOf(U64, shape, as64[uint64](flatten[uint](v, n)))
	case uint8:
		return TensorOf(U8, shape, flatten[uint8](v, n))
	case uint16:
		return TensorOf(U16, shape, flatten[uint16](v, n))
	case uint32:
		return TensorOf(U32, shape, flatten[uint32](v, n))
	case uint64:
		return TensorOf(U64, shape, flatten[uint64](v, n))
	case float16.Float16:
		return TensorOf(F16, shape, flatten[float16.Float16](v, n))
	case BFloat16:
		return TensorOf(BF16, shape, flatten[BFloat16](v, n))
	case float32:
		return TensorOf(F32, shape, flatten[float32](v, n))
	case float64:
		return TensorOf(F64, shape, flatten[float64](v, n))
	case complex64:
		return TensorOf(Complex64, shape, flatten[complex64](v, n))
	case complex128:
		return TensorOf(Complex128, shape, flatten[complex128](v, n))
	case string:
		return StringTensor(shape, flatten[string](v, n))
	}
	return nil, faults.Errorf("%T holds elements of the Go type %v, which stands for no element type", data, scalar)
}

// isList reports whether t is a slice or an array.
func isList(t reflect.Type) bool { return t.Kind() == reflect.Slice || t.Kind() == reflect.Array }

// maxDepth is the largest depth of nested lists. Without a limit, lengthsOf would not end for a Go
// type that is a list of itself.
const maxDepth = 64

// lengthsOf returns the type of the innermost elements of v, and the length of the first list at
// each depth. Slices below an empty list have length 0. It stops after maxDepth+1 depths.
func lengthsOf(v reflect.Value) (scalar reflect.Type, lengths Shape) {
	scalar = v.Type()
	for isList(scalar) && len(lengths) <= maxDepth {
		n := v.Len()
		lengths = append(lengths, n)
		scalar = scalar.Elem()
		if n > 0 {
			v = v.Index(0)
		} else {
			v = reflect.Zero(scalar)
		}
	}
	return scalar, lengths
}

// countElements returns the number of the innermost elements of v. lengths are the expected lengths
// of v at each depth, of all lists of one depth if equal is true. place is the position of v in the
// data, such as "[1][0]", for errors.
func countElements(v reflect.Value, lengths Shape, equal bool, place string) (int, error) {
	if len(lengths) == 0 {
		return 1, nil
	}
	if equal && v.Len() != lengths[0] {
		return 0, faults.Errorf("data%s has %d elements, the first list of that depth has %d", place, v.Len(), lengths[0])
	}
	if len(lengths) == 1 {
		return v.Len(), nil
	}
	total := 0
	for i := range v.Len() {
		n, err := countElements(v.Index(i), lengths[1:], equal, place+"["+strconv.Itoa(i)+"]")
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// flatten returns the n innermost elements of v, which are of type T.
func flatten[T any](v reflect.Value, n int) []T {
	flat := make([]T, 0, n)
	walk(v, func(v reflect.Value) bool {
		switch x := v.Interface().(type) {
		case T:
			flat = append(flat, x)
		case []T:
			flat = append(flat, x...)
		default:
			return false
		}
		return true
	})
	return flat
}

// walk calls take for v, and for all lists and elements in it that take has not taken as a part of
// a list.
func walk(v reflect.Value, take func(reflect.Value) bool) {
	if take(v) {
		return
	}
	for i := range v.Len() {
		walk(v.Index(i), take)
	}
}

// as64 returns values with 64 bits each.
func as64[To int64 | uint64, From int | uint](values []From) []To {
	wide := make([]To, len(values))
	for i, v := range values {
		wide[i] = To(v)
	}
	return wide
}
