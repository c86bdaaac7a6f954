package ir

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
)

// Ints returns the elements of a tensor of an integer type or of booleans as int64. It returns
// an error for other types, for sub-byte types, and if an element of u64 does not fit int64.
func (t *Tensor) Ints() ([]int64, error) {
	switch t.elementType {
	case I64:
		return slices.Clone(Data[int64](t)), nil
	case I32:
		return widen[int32](t), nil
	case I16:
		return widen[int16](t), nil
	case I8:
		return widen[int8](t), nil
	case U8, Boolean:
		return widen[uint8](t), nil
	case U16:
		return widen[uint16](t), nil
	case U32:
		return widen[uint32](t), nil
	case U64:
		for i, v := range Data[uint64](t) {
			if v > math.MaxInt64 {
				return nil, faults.Errorf("element %d is %d, beyond int64", i, v)
			}
		}
		return widen[uint64](t), nil
	}
	return nil, faults.Errorf("element type %v is not an integer of whole bytes", t.elementType)
}

// widen converts the elements of t to int64.
func widen[T int8 | int16 | int32 | uint8 | uint16 | uint32 | uint64](t *Tensor) []int64 {
	data := Data[T](t)
	wide := make([]int64, len(data))
	for i, v := range data {
		wide[i] = int64(v)
	}
	return wide
}

// TensorOfInts returns a tensor of values. t must be boolean or an integer type of whole bytes,
// and each value must fit it.
func TensorOfInts(t ElementType, shape Shape, values []int64) (*Tensor, error) {
	if !t.IsIntegral() || t.Size() == 0 {
		return nil, faults.Errorf("element type %v is not an integer of whole bytes", t)
	}
	tensor, err := NewTensor(t, shape...)
	if err != nil {
		return nil, err
	}
	if tensor.Len() != len(values) {
		return nil, faults.Errorf("shape %v needs %d elements, %d are given", shape, tensor.Len(), len(values))
	}
	misfit := -1
	switch t {
	case I64:
		copy(Data[int64](tensor), values)
	case I32:
		misfit = narrow(Data[int32](tensor), values)
	case I16:
		misfit = narrow(Data[int16](tensor), values)
	case I8:
		misfit = narrow(Data[int8](tensor), values)
	case U8, Boolean:
		misfit = narrow(Data[uint8](tensor), values)
	case U16:
		misfit = narrow(Data[uint16](tensor), values)
	case U32:
		misfit = narrow(Data[uint32](tensor), values)
	case U64:
		misfit = narrow(Data[uint64](tensor), values)
	}
	if misfit >= 0 {
		return nil, faults.Errorf("value %d is %d, which does not fit element type %v", misfit, values[misfit], t)
	}
	return tensor, nil
}

// narrow converts values to T. It returns the index of the first value that does not fit; -1 if
// all fit.
func narrow[T int8 | int16 | int32 | uint8 | uint16 | uint32 | uint64](dst []T, values []int64) int {
	for i, v := range values {
		dst[i] = T(v)
		if int64(dst[i]) != v || dst[i] < 0 != (v < 0) {
			return i
		}
	}
	return -1
}
