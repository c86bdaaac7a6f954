package gatherelements

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
)

// Element lists the types of elements: every element type of ONNX. float16 is
// x448/float16.Float16 or another type based on uint16, and bfloat16 is ir.BFloat16.
type Element interface{ ir.Element | string }

// Index lists the types of indices.
type Index interface{ ~int32 | ~int64 }

// Options holds the version and the attribute of ONNX's GatherElements.
type Options struct {
	// Version is the version of the operator: 11, or 13, which adds bfloat16. 0 means 13.
	Version int
	// Axis is the axis. A negative axis counts from the last one.
	Axis int
}

// ONNX computes GatherElements on the caller's goroutine and returns the output, which has the
// shape of indices. Both tensors are contiguous in row-major order and have the same rank,
// which is at least 1. Except along the axis, indices must not be longer than data. The slices
// must not change during the call.
//
// # Errors
//
// If the axis has d elements and an index is outside of [-d,d-1], the error is an
// *ops.IndexError for the first such index. Other errors report an invalid option, shape or
// type.
func ONNX[T Element, I Index](o Options, data []T, dataShape []int, indices []I, indicesShape []int) ([]T, error) {
	out := make([]T, len(indices))
	if err := ONNXInto(o, out, data, dataShape, indices, indicesShape); err != nil {
		return nil, err
	}
	return out, nil
}

// ONNXInto is ONNX with the output in out, which must have as many elements as indices and must
// not overlap the other slices. After an error the content of out is undefined.
func ONNXInto[T Element, I Index](o Options, out, data []T, dataShape []int, indices []I, indicesShape []int) error {
	if o.Version != 0 && o.Version != 11 && o.Version != 13 {
		return faults.Errorf("GatherElements-%d is not known, only versions 11 and 13", o.Version)
	}
	if _, bf16 := any(data).([]ir.BFloat16); bf16 && o.Version == 11 {
		return faults.Errorf("GatherElements-11 has no bfloat16")
	}
	if err := checkLengths(out, data, dataShape, indices, indicesShape); err != nil {
		return err
	}
	p, err := newCall(dataShape, indicesShape, o.Axis, true)
	if err != nil {
		return err
	}
	return gatherAll(p, out, data, indices)
}

// TorchGather computes torch.gather on the caller's goroutine and returns the output, which has
// the shape of index. index has the rank of input; a scalar counts as a vector of one element.
// Except along dim, index must not be longer than input. If index has no elements, its shape is
// ignored. A negative dim counts from the last axis. Negative indices are errors.
//
// # Errors
//
// If dim has d elements and an index is outside of [0,d-1], the error is an *ops.IndexError for
// the first such index. Other errors report an invalid dim or shape.
func TorchGather[T Element, I Index](input []T, inputShape []int, dim int, index []I, indexShape []int) ([]T, error) {
	out := make([]T, len(index))
	if err := TorchGatherInto(out, input, inputShape, dim, index, indexShape); err != nil {
		return nil, err
	}
	return out, nil
}

// TorchGatherInto is TorchGather with the output in out, which must have as many elements as
// index and must not overlap the other slices. After an error the content of out is undefined.
func TorchGatherInto[T Element, I Index](out, input []T, inputShape []int, dim int, index []I, indexShape []int) error {
	if err := checkLengths(out, input, inputShape, index, indexShape); err != nil {
		return err
	}
	inputShape, indexShape = atLeastVector(inputShape), atLeastVector(indexShape)
	if len(index) == 0 { // like an index of the same rank as input
		indexShape = make([]int, len(inputShape))
	}
	p, err := newCall(inputShape, indexShape, dim, false)
	if err != nil {
		return err
	}
	return gatherAll(p, out, input, index)
}

// newCall returns the plan of a call, or an error if the shapes are invalid for ONNX and torch.
func newCall(data, indices []int, axis int, negative bool) (*plan, error) {
	if len(data) == 0 || len(indices) == 0 {
		return nil, faults.Errorf("data %v and indices %v must have rank 1 or more", data, indices)
	}
	a, err := index.Axis(int64(axis), len(data))
	if err != nil {
		return nil, err
	}
	if len(data) != len(indices) {
		return nil, faults.Errorf("indices %v and data %v differ in rank", indices, data)
	}
	for i, n := range indices {
		if i != a && n > data[i] {
			return nil, faults.Errorf("indices %v are longer than data %v off axis %d", indices, data, a)
		}
	}
	return newPlan(data, indices, a, negative), nil
}

// checkLengths returns an error unless the slices have the lengths of tensors of the given
// shapes.
func checkLengths[T Element, I Index](out, data []T, dataShape []int, indices []I, indicesShape []int) error {
	if err := checkLength("data", dataShape, len(data)); err != nil {
		return err
	}
	if err := checkLength("indices", indicesShape, len(indices)); err != nil {
		return err
	}
	if len(out) != len(indices) {
		return faults.Errorf("out has %d elements, indices have %d", len(out), len(indices))
	}
	return nil
}

// checkLength returns an error unless a tensor of the given shape has n elements.
func checkLength(name string, shape []int, n int) error {
	size, err := ir.ByteSize(ir.U8, shape)
	if err != nil {
		return faults.Errorf("%s: %w", name, err)
	}
	if size != n {
		return faults.Errorf("%s of shape %v need %d elements, %d are given", name, shape, size, n)
	}
	return nil
}

// atLeastVector returns shape, or that of a vector of one element for a scalar.
func atLeastVector(shape []int) []int {
	if len(shape) == 0 {
		return []int{1}
	}
	return shape
}

// gatherAll computes p. Types of elements of the same size share one kernel.
func gatherAll[T Element, I Index](p *plan, out, data []T, indices []I) error {
	var i I
	var t T
	size, wide := int(unsafe.Sizeof(t)), unsafe.Sizeof(i) == 8
	p.divide(size, 1)
	if texts, ok := any(out).([]string); ok {
		return gatherStrings(p, texts, any(data).([]string), cast.Memory(indices), wide)
	}
	run := kernelFor[int32](p, size)
	if wide {
		run = kernelFor[int64](p, size)
	}
	return gather(p, run, cast.Memory(out), cast.Memory(data), cast.Memory(indices), wide, 0, p.pieces)
}

// gatherStrings is gatherAll for strings.
func gatherStrings(p *plan, out, data []string, indices []byte, wide bool) error {
	run := func(p *plan, c piece, _, _, indices []byte) bool {
		return loopOf[string, int32](p)(p, c, out, data, cast.Bytes[int32](indices))
	}
	if wide {
		run = func(p *plan, c piece, _, _, indices []byte) bool {
			return loopOf[string, int64](p)(p, c, out, data, cast.Bytes[int64](indices))
		}
	}
	return gather(p, run, nil, nil, indices, wide, 0, p.pieces)
}
