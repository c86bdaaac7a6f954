package scatterupdate

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Update returns data with the slices along axis that indices refer to replaced by those of
// updates, by the rules of ScatterUpdate-3. All tensors are contiguous in row-major order. A
// negative axis counts from the last axis. The shape of updates is that of data with axis
// replaced by the axes of indices. If several updates have the same position, the last one
// counts.
//
// # Errors
//
// If axis has d elements and an index is outside of [0,d-1], the error is an *ops.IndexError
// for the first such index in row-major order. Other errors report an invalid shape or axis.
func Update[T ir.Scalar, I ops.Index](data []T, dataShape []int, indices []I, indicesShape []int, updates []T, updatesShape []int, axis int) ([]T, error) {
	out := make([]T, len(data))
	if err := UpdateInto(out, data, dataShape, indices, indicesShape, updates, updatesShape, axis); err != nil {
		return nil, err
	}
	return out, nil
}

// UpdateInto is Update with the output in out, which must have as many elements as data. out
// may be data itself; then only the slices that indices refer to are written. Otherwise it must
// not overlap the arguments. After an error nothing has been written.
func UpdateInto[T ir.Scalar, I ops.Index](out, data []T, dataShape []int, indices []I, indicesShape []int, updates []T, updatesShape []int, axis int) error {
	to, err := ops.TensorOf("out", out, dataShape)
	if err != nil {
		return err
	}
	inputs := make([]*ir.Tensor, 3)
	if inputs[dataPort], err = ops.TensorOf("data", data, dataShape); err != nil {
		return err
	}
	if inputs[indicesPort], err = ops.TensorOf("indices", indices, indicesShape); err != nil {
		return err
	}
	if inputs[updatesPort], err = ops.TensorOf("updates", updates, updatesShape); err != nil {
		return err
	}
	facts := append(ops.FactsOf(inputs), ir.Fact{Type: ir.I64, Values: []ir.Interval{{Min: int64(axis), Max: int64(axis)}}})
	return ops.Call(&Ops[0], nil, facts, inputs, to)
}
