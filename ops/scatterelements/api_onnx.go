package scatterelements

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// Options holds the version and the attributes of ONNX's Scatter and ScatterElements.
type Options struct {
	// Version is the version of the operator: 9 for Scatter-9; 11 for Scatter-11 and
	// ScatterElements-11, which are the same; 13, 16 or 18 for ScatterElements. 0 means 18.
	// bfloat16 is supported from version 13 on, and reductions from version 16 on.
	Version int
	// Axis is the axis. A negative axis counts from the last one.
	Axis int
	// Reduction is the reduction: "none" or "", which is the same; "add" or "mul" from version
	// 16 on; "max" or "min" from version 18 on.
	Reduction string
}

// onnxReductions holds the reductions with the first version that has them.
var onnxReductions = map[string]struct {
	since int
	is    reduction
}{
	"":     {9, none},
	"none": {9, none},
	"add":  {16, sum},
	"mul":  {16, prod},
	"max":  {18, maximum},
	"min":  {18, minimum},
}

// ONNX computes Scatter or ScatterElements and returns the output, which has the shape of data.
// All tensors are contiguous in row-major order and have the same rank, which is at least 1.
// updates has the shape of indices. Except along the axis, that must not be longer than data.
// Without a reduction, if several updates have the same element, the last one in row-major
// order counts.
//
// Strings have no reductions, and complex numbers have no max and min. For booleans, add and
// max are or, and mul and min are and.
//
// # Errors
//
// If the axis has d elements, an index outside of [-d,d-1] is an *ops.IndexError. Other errors
// report an invalid option, shape or type.
func ONNX[T Element, I Index](o Options, data []T, dataShape []int, indices []I, indicesShape []int, updates []T, updatesShape []int) ([]T, error) {
	out := make([]T, len(data))
	if err := ONNXInto(o, out, data, dataShape, indices, indicesShape, updates, updatesShape); err != nil {
		return nil, err
	}
	return out, nil
}

// ONNXInto is ONNX with the output in out, which must have as many elements as data. out may be
// data itself; then only elements with updates are written. Otherwise it must not overlap data,
// and never indices and updates. After an error the content of out is undefined.
func ONNXInto[T Element, I Index](o Options, out, data []T, dataShape []int, indices []I, indicesShape []int, updates []T, updatesShape []int) error {
	c, err := o.call(ir.ElementTypeOf[T]())
	if err != nil {
		return err
	}
	x, err := operandsOf(out, data, dataShape, indices, indicesShape, updates, updatesShape)
	if err != nil {
		return err
	}
	if len(dataShape) == 0 {
		return faults.Errorf("data is a scalar, rank 1 or more is needed")
	}
	if !slices.Equal(indicesShape, updatesShape) {
		return faults.Errorf("indices are %v, updates are %v", indicesShape, updatesShape)
	}
	return x.run(c, o.Axis)
}

// call returns the call for the options, or an error if they are invalid for elements of type
// t.
func (o Options) call(t ir.ElementType) (call, error) {
	version := o.Version
	switch version {
	case 0:
		version = 18
	case 9, 11, 13, 16, 18:
	default:
		return call{}, faults.Errorf("version %d is none of 9, 11, 13, 16, 18", version)
	}
	r, ok := onnxReductions[o.Reduction]
	switch {
	case !ok:
		return call{}, faults.Errorf("reduction %q is none of none, add, mul, max, min", o.Reduction)
	case version < r.since:
		return call{}, faults.Errorf("version %d has no reduction %q, which came with %d", version, o.Reduction, r.since)
	case t == ir.BF16 && version < 13:
		return call{}, faults.Errorf("version %d has no bfloat16, which came with 13", version)
	}
	return call{reduction: r.is, useInitVal: true, negative: true, threads: 1}, nil
}
