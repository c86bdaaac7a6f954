package scatterupdate

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Update returns data with the slices along axis that indices name replaced by
// those of updates, by the rules of ScatterUpdate-3. All tensors are dense in
// row-major order; a negative axis counts from the back. The shape of updates is
// that of data with the axes of indices in the place of axis. Of several updates
// for one slice the last stays.
//
// # Errors
//
// An index outside [0,d-1], for an axis of d elements, is an *ops.IndexError: the
// first in row-major order. Any other error says which of the shapes and the axis is
// not allowed.
func Update[T ops.Element, I ops.Index](data []T, dataShape []int, indices []I, indicesShape []int, updates []T, updatesShape []int, axis int) ([]T, error) {
	out := make([]T, len(data))
	if err := UpdateInto(out, data, dataShape, indices, indicesShape, updates, updatesShape, axis); err != nil {
		return nil, err
	}
	return out, nil
}

// UpdateInto is Update into out, which has as many elements as data, and may be
// data itself: then only the slices that indices name are written. It shares no
// other memory with the arguments. After an error nothing has been written.
func UpdateInto[T ops.Element, I ops.Index](out, data []T, dataShape []int, indices []I, indicesShape []int, updates []T, updatesShape []int, axis int) error {
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
