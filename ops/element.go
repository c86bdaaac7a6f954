package ops

import (
	"fmt"

	"github.com/x448/float16"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/ir"
)

// Element lists the types of elements in the Go APIs of the families.
type Element interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 |
		float16.Float16 | BFloat16 | float32 | float64 | complex64 | complex128 | string
}

// Index lists the types of indices in the Go APIs of the families.
type Index interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// ElementTypeOf returns the element type of T.
func ElementTypeOf[T Element]() ir.ElementType {
	var zero T
	switch any(zero).(type) {
	case bool:
		return ir.Boolean
	case int8:
		return ir.I8
	case int16:
		return ir.I16
	case int32:
		return ir.I32
	case int64:
		return ir.I64
	case uint8:
		return ir.U8
	case uint16:
		return ir.U16
	case uint32:
		return ir.U32
	case uint64:
		return ir.U64
	case float16.Float16:
		return ir.F16
	case BFloat16:
		return ir.BF16
	case float32:
		return ir.F32
	case float64:
		return ir.F64
	case complex64:
		return ir.Complex64
	case complex128:
		return ir.Complex128
	}
	return ir.String
}

// TensorOf returns a tensor over data, which it shares. name is what errors call
// it.
func TensorOf[T Element](name string, data []T, shape []int) (*ir.Tensor, error) {
	t, err := tensorOf(ElementTypeOf[T](), data, shape)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// FactsOf returns the types and shapes of tensors.
func FactsOf(tensors []*ir.Tensor) []ir.Fact {
	facts := make([]ir.Fact, len(tensors))
	for i, t := range tensors {
		facts[i] = ir.Fact{Type: t.ElementType(), Shape: t.Shape().Partial()}
	}
	return facts
}

func tensorOf[T Element](t ir.ElementType, data []T, shape []int) (*ir.Tensor, error) {
	switch t.Size() {
	case 1:
		return ir.TensorOf(t, shape, cast.Slice[uint8](data))
	case 2:
		return ir.TensorOf(t, shape, cast.Slice[uint16](data))
	case 4:
		return ir.TensorOf(t, shape, cast.Slice[uint32](data))
	case 8:
		return ir.TensorOf(t, shape, cast.Slice[uint64](data))
	case 16:
		return ir.TensorOf(t, shape, cast.Slice[complex128](data))
	}
	return ir.StringTensor(shape, cast.Slice[string](data))
}
