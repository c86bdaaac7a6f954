package scatterelements

import (
	"fmt"
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Options are the attributes of ONNX's Scatter and ScatterElements.
type Options struct {
	// Version is the version of the operator: 9 for Scatter-9, 11 for Scatter-11
	// and ScatterElements-11, which are the same, 13, 16 and 18 for
	// ScatterElements. 0 stands for the newest, 18. bfloat16 came with 13,
	// reductions with 16.
	Version int
	// Axis counts from the back where it is negative.
	Axis int
	// Reduction is "none", which is also what "" stands for; "add" or "mul", from
	// version 16 on; "max" or "min", from version 18 on.
	Reduction string
}

// onnxReductions are the reductions with the versions that brought them.
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

// ONNX computes Scatter or ScatterElements, and returns the output, which has the
// shape of data. All tensors are dense in row-major order and have one rank of at
// least 1; updates has the shape of indices, which off the axis is nowhere longer
// than data. Of several updates for one element without a reduction the last in
// row-major order stays.
//
// Strings have no reductions, complex numbers no max and min; for booleans add
// and max are or, mul and min are and.
//
// # Errors
//
// An index outside [-d,d-1], for an axis of d elements, is an *ops.IndexError. Any
// other error says which of the options, the shapes and the types is not allowed.
func ONNX[T Element, I Index](o Options, data []T, dataShape []int, indices []I, indicesShape []int, updates []T, updatesShape []int) ([]T, error) {
	out := make([]T, len(data))
	if err := ONNXInto(o, out, data, dataShape, indices, indicesShape, updates, updatesShape); err != nil {
		return nil, err
	}
	return out, nil
}

// ONNXInto is ONNX into out, which has as many elements as data, and may be data
// itself: then only the updated elements are written. It shares no memory with
// indices and updates. After an error its content is undefined.
func ONNXInto[T Element, I Index](o Options, out, data []T, dataShape []int, indices []I, indicesShape []int, updates []T, updatesShape []int) error {
	c, err := o.call(ops.ElementTypeOf[T]())
	if err != nil {
		return err
	}
	x, err := operandsOf(out, data, dataShape, indices, indicesShape, updates, updatesShape)
	if err != nil {
		return err
	}
	if len(dataShape) == 0 {
		return fmt.Errorf("data is a scalar, rank 1 or more is needed")
	}
	if !slices.Equal(indicesShape, updatesShape) {
		return fmt.Errorf("indices are %v, updates are %v", indicesShape, updatesShape)
	}
	return x.run(c, o.Axis)
}

// call checks the options for elements of type t.
func (o Options) call(t ir.ElementType) (call, error) {
	version := o.Version
	switch version {
	case 0:
		version = 18
	case 9, 11, 13, 16, 18:
	default:
		return call{}, fmt.Errorf("version %d is none of 9, 11, 13, 16, 18", version)
	}
	r, ok := onnxReductions[o.Reduction]
	switch {
	case !ok:
		return call{}, fmt.Errorf("reduction %q is none of none, add, mul, max, min", o.Reduction)
	case version < r.since:
		return call{}, fmt.Errorf("version %d has no reduction %q, which came with %d", version, o.Reduction, r.since)
	case t == ir.BF16 && version < 13:
		return call{}, fmt.Errorf("version %d has no bfloat16, which came with 13", version)
	}
	return call{reduction: r.is, useInitVal: true, negative: true, threads: 1}, nil
}
