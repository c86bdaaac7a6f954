package check

import (
	"fmt"
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Length returns the lengths that a value read as one can be.
func Length(name string, v ir.Interval) (ir.Dimension, error) {
	switch {
	case v.Min == math.MinInt64 && v.Max >= 0: // nothing is known below
		return ir.DimRange(0, v.Max), nil
	case v.Min == ir.Unbounded:
		return ir.AnyDim, nil
	case v.Min < 0:
		return ir.Dimension{}, fmt.Errorf("%s is negative: %d", name, v.Min)
	}
	return ir.DimRange(v.Min, v.Max), nil
}

// Lengths returns the lengths that input i, by name, holds for an output's axes;
// false where nothing is known of them. A Constant may hold -1 for a length that is
// not known; OpenVINO takes less than that for 0 there, and refuses it elsewhere.
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

// Int64 returns an error if an input of few elements holds a number beyond int64,
// which no interval tells.
func Int64(name string, f *ir.Fact) error {
	if f.Tensor == nil || f.Tensor.ElementType() != ir.U64 || f.Tensor.Len() > ir.MaxValues {
		return nil
	}
	if _, err := f.Tensor.Ints(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// LengthOf returns the length that input i, by name, holds as its one element; any
// where nothing is known of it. It takes the numbers that Lengths takes.
func LengthOf(in *ops.Inference, i int, name string) (ir.Dimension, error) {
	dims, known, err := Lengths(in, i, name)
	if !known || len(dims) != 1 {
		return ir.AnyDim, err
	}
	return dims[0], nil
}
