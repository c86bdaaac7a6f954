package check

import (
	"fmt"
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Length returns the lengths that a value in the interval v can specify. It returns an error if
// v has a negative lower bound.
func Length(name string, v ir.Interval) (ir.Dimension, error) {
	switch {
	case v.Min == math.MinInt64 && v.Max >= 0: // no lower bound
		return ir.DimRange(0, v.Max), nil
	case v.Min == ir.Unbounded:
		return ir.AnyDim, nil
	case v.Min < 0:
		return ir.Dimension{}, faults.Errorf("%s is negative: %d", name, v.Min)
	}
	return ir.DimRange(v.Min, v.Max), nil
}

// Lengths returns the lengths of the axes of an output that input i specifies; false if nothing
// is known of its values. name is the name of the input in errors. In a Constant, -1 is an
// unknown length and, as in OpenVINO, smaller numbers are 0. In other inputs negative numbers
// are an error.
func Lengths(in *ops.Inference, i int, name string) ([]ir.Dimension, bool, error) {
	values := in.Inputs[i].Intervals()
	if values == nil {
		return nil, false, Int64(name, &in.Inputs[i])
	}
	constant := Constant(in.Layer, i)
	dims := make([]ir.Dimension, len(values))
	for k, v := range values {
		if constant {
			dims[k] = ir.DimOf(v)
			continue
		}
		element := name
		if in.Inputs[i].Shape.Rank() != 0 {
			element = fmt.Sprintf("%s[%d]", name, k)
		}
		var err error
		if dims[k], err = Length(element, v); err != nil {
			return nil, false, err
		}
	}
	return dims, true, nil
}

// Int64 returns an error if a small known input holds a number greater than math.MaxInt64,
// which no interval can represent.
func Int64(name string, f *ir.Fact) error {
	if f.Tensor == nil || f.Tensor.ElementType() != ir.U64 || f.Tensor.Len() > ir.MaxValues {
		return nil
	}
	if _, err := f.Tensor.Ints(); err != nil {
		return faults.Errorf("%s: %w", name, err)
	}
	return nil
}

// AxisCount returns an error if a vector that has an element for each axis of a tensor, such as a
// target shape, has more elements than a tensor can have axes.
func AxisCount(name string, vector ir.PartialShape) error {
	if vector.Rank() != 1 {
		return nil
	}
	n := vector.At(0).Min
	if err := ir.CheckRank(n); err != nil {
		return faults.Errorf("%s has %d elements: %w", name, n, err)
	}
	return nil
}

// LengthOf is Lengths for an input of one element. It returns ir.AnyDim if the value is not
// known.
func LengthOf(in *ops.Inference, i int, name string) (ir.Dimension, error) {
	dims, known, err := Lengths(in, i, name)
	if !known || len(dims) != 1 {
		return ir.AnyDim, err
	}
	return dims[0], nil
}
