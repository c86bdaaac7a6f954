package ops

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// Index lists the Go types of indices in the Go APIs of the families.
type Index interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// TensorOf returns a tensor of the element type of T and the given shape that shares the memory of
// data, which is in row-major order. It is an error if the length of data does not fit the shape.
// Errors begin with name.
func TensorOf[T ir.Scalar](name string, data []T, shape []int) (*ir.Tensor, error) {
	t, err := tensorOf(ir.ElementTypeOf[T](), data, shape)
	if err != nil {
		return nil, faults.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// FactsOf returns the types and shapes of tensors. The values are left out.
func FactsOf(tensors []*ir.Tensor) []ir.Fact {
	facts := make([]ir.Fact, len(tensors))
	for i, t := range tensors {
		facts[i] = ir.Fact{Type: t.ElementType(), Shape: t.Shape().Partial()}
	}
	return facts
}

// tensorOf returns a tensor of type t, the element type of T, that shares the memory of data.
func tensorOf[T ir.Scalar](t ir.ElementType, data []T, shape []int) (*ir.Tensor, error) {
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
