package gatherelements

import (
	"fmt"
	"unsafe"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Element lists the types of elements: every type of ONNX's tensors, with
// x448/float16.Float16 or another type over uint16 for float16 and ops.BFloat16
// for bfloat16.
type Element interface{ ir.Element | string }

// Index lists the types of indices.
type Index interface{ ~int32 | ~int64 }

// Rules says whose rules decide what shapes, types and indices are allowed.
type Rules uint8

const (
	// OpenVINO is GatherElements-6: rank 1 or more, equal lengths off the axis,
	// indices within [-d,d-1] for an axis of length d.
	OpenVINO Rules = iota
	// ONNX11 is GatherElements-11 of ONNX: rank 1 or more, indices no longer than
	// data off the axis, indices within [-d,d-1], no bfloat16.
	ONNX11
	// ONNX13 is GatherElements-13 of ONNX: as ONNX11, with bfloat16.
	ONNX13
	// Torch is torch.gather: indices no longer than data off the axis, indices
	// within [0,d-1], and a scalar counts as a vector of one element. Where
	// there are no indices their shape is not looked at.
	Torch
)

// String returns the name of the operation: "GatherElements-6 (OpenVINO)".
func (r Rules) String() string {
	switch r {
	case OpenVINO:
		return "GatherElements-6 (OpenVINO)"
	case ONNX11:
		return "GatherElements-11 (ONNX)"
	case ONNX13:
		return "GatherElements-13 (ONNX)"
	case Torch:
		return "torch.gather"
	}
	return fmt.Sprintf("Rules(%d)", uint8(r))
}

// Gather returns the elements of data that indices say, in the shape of indices.
// Both are in row-major order; a negative axis counts from the back.
//
// # Errors
//
// An index that is not allowed is an *ops.IndexError: the first in row-major order.
// Any other error says which of the shapes, the axis and the types breaks rules.
func Gather[T Element, I Index](rules Rules, data []T, dataShape []int, indices []I, indicesShape []int, axis int) ([]T, error) {
	p, err := newCall(rules, data, dataShape, indices, indicesShape, axis)
	if err != nil {
		return nil, err
	}
	out := make([]T, len(indices))
	if err := gatherAll(p, out, data, indices); err != nil {
		return nil, err
	}
	return out, nil
}

// GatherInto is Gather into out, which has as many elements as indices and shares
// no memory with data. After an error its content is undefined. Steady use
// allocates little: what the shapes decide, nothing for an element.
func GatherInto[T Element, I Index](rules Rules, out, data []T, dataShape []int, indices []I, indicesShape []int, axis int) error {
	p, err := newCall(rules, data, dataShape, indices, indicesShape, axis)
	if err != nil {
		return err
	}
	if len(out) != len(indices) {
		return fmt.Errorf("out has %d elements, indices have %d", len(out), len(indices))
	}
	return gatherAll(p, out, data, indices)
}

// newCall checks what rules say of everything but the indices' values.
func newCall[T Element, I Index](rules Rules, data []T, dataShape []int, indices []I, indicesShape []int, axis int) (*plan, error) {
	if rules > Torch {
		return nil, fmt.Errorf("%v are no rules of this package", rules)
	}
	if _, bf16 := any(data).([]ops.BFloat16); bf16 && rules == ONNX11 {
		return nil, fmt.Errorf("%v has no bfloat16", rules)
	}
	if err := checkLength("data", dataShape, len(data)); err != nil {
		return nil, err
	}
	if err := checkLength("indices", indicesShape, len(indices)); err != nil {
		return nil, err
	}
	if rules == Torch {
		dataShape, indicesShape = atLeastVector(dataShape), atLeastVector(indicesShape)
	}
	if len(dataShape) == 0 || len(indicesShape) == 0 {
		return nil, fmt.Errorf("data %v and indices %v must have rank 1 or more", dataShape, indicesShape)
	}
	a, err := index.Axis(int64(axis), len(dataShape))
	if err != nil {
		return nil, err
	}
	if rules == Torch && len(indices) == 0 {
		return newPlan([]int{0}, []int{0}, 0, false), nil
	}
	if len(dataShape) != len(indicesShape) {
		return nil, fmt.Errorf("data %v and indices %v differ in rank", dataShape, indicesShape)
	}
	for i, n := range indicesShape {
		switch {
		case i == a:
		case rules == OpenVINO && n != dataShape[i]:
			return nil, fmt.Errorf("data %v and indices %v differ off axis %d", dataShape, indicesShape, a)
		case n > dataShape[i]:
			return nil, fmt.Errorf("indices %v are longer than data %v off axis %d", indicesShape, dataShape, a)
		}
	}
	return newPlan(dataShape, indicesShape, a, rules != Torch), nil
}

// checkLength checks that a slice of n elements holds a tensor of the given shape.
func checkLength(name string, shape []int, n int) error {
	size, err := ir.ByteSize(ir.U8, shape)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if size != n {
		return fmt.Errorf("%s of shape %v need %d elements, %d are given", name, shape, size, n)
	}
	return nil
}

func atLeastVector(shape []int) []int {
	if len(shape) == 0 {
		return []int{1}
	}
	return shape
}

// gatherAll gathers elements of the same size and alignment with the same kernel.
func gatherAll[T Element, I Index](p *plan, out, data []T, indices []I) error {
	var i I
	if unsafe.Sizeof(i) == 4 {
		return gatherIndexed(p, out, data, as[int32](indices))
	}
	return gatherIndexed(p, out, data, as[int64](indices))
}

func gatherIndexed[T Element, I indexType](p *plan, out, data []T, indices []I) error {
	var t T
	size, align := unsafe.Sizeof(t), unsafe.Alignof(t)
	_, isString := any(t).(string)
	switch {
	case isString:
	case size == 1:
		return gatherSized(p, as[uint8](out), as[uint8](data), indices)
	case size == 2:
		return gatherSized(p, as[uint16](out), as[uint16](data), indices)
	case size == 4:
		return gatherSized(p, as[uint32](out), as[uint32](data), indices)
	case size == 8 && align == unsafe.Alignof(uint64(0)):
		return gatherSized(p, as[uint64](out), as[uint64](data), indices)
	}
	return gatherSized(p, out, data, indices)
}

func gatherSized[T any, I indexType](p *plan, out, data []T, indices []I) error {
	var t T
	p.cut(int(unsafe.Sizeof(t)), 1)
	return gather(p, kernelOf[T, I](p), out, data, indices, 0, p.pieces)
}

// as returns s as elements of a type of the same size without pointers.
func as[T, S any](s []S) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}
