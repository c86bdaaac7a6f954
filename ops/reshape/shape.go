package reshape

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	data, pattern, out := &in.Inputs[0], &in.Inputs[1], &in.Outputs[0]
	if !pattern.Type.IsInteger() && pattern.Type != ir.Dynamic {
		return faults.Errorf("shape is %v, not a type of integers", pattern.Type)
	}
	if pattern.Shape.RankKnown() && pattern.Shape.Rank() != 1 {
		return faults.Errorf("shape has shape %v, not that of a vector", pattern.Shape)
	}
	if err := check.AxisCount("shape", pattern.Shape); err != nil {
		return err
	}
	out.Type = data.Type
	var err error
	if values := pattern.Intervals(); values != nil {
		specialZero := in.Attributes.(attributes).specialZero
		out.Shape, err = reshape(data.Shape, values, specialZero)
		return err
	}
	out.Shape = ir.UnknownRank
	if pattern.Shape.IsStatic() {
		out.Shape = ir.ShapeOfRank(int(pattern.Shape.At(0).Min))
	}
	return nil
}

// target holds the known values of the input shape: the dimensions, and the index of -1, or -1 if
// there is none.
type target struct {
	dims     []ir.Dimension
	minusOne int
}

func parseTarget(values []ir.Interval) (target, error) {
	t := target{make([]ir.Dimension, len(values)), -1}
	for i, v := range values {
		switch {
		case v.Min == -1 && v.Max == -1:
			if t.minusOne >= 0 {
				return t, faults.Errorf("shape has -1 at %d and at %d, one at most is allowed", t.minusOne, i)
			}
			t.minusOne = i
			t.dims[i] = ir.AnyDim
		case v.Min >= -1:
			t.dims[i] = ir.DimRange(max(v.Min, 0), v.Max)
		case v.Max >= 0:
			t.dims[i] = ir.AnyDim
		default:
			return t, faults.Errorf("shape[%d] is from %d to %d", i, v.Min, v.Max)
		}
	}
	return t, nil
}

// reshape returns the shape of the output.
func reshape(data ir.PartialShape, values []ir.Interval, specialZero bool) (ir.PartialShape, error) {
	t, err := parseTarget(values)
	if err != nil {
		return ir.PartialShape{}, err
	}
	dims, from, to, err := elements(data, t, specialZero)
	if err != nil {
		return ir.PartialShape{}, err
	}
	if t.minusOne >= 0 {
		left, ok := divide(from.dynamic, to.dynamic)
		switch {
		case to.static == ir.Dim(0) && from.static != ir.Dim(0):
			return ir.PartialShape{}, faults.Errorf("shape %v asks for no elements, data of shape %v has some", pattern(values), data)
		case !ok && to.static != ir.Dim(0):
			return ir.PartialShape{}, faults.Errorf("the elements of data of shape %v do not divide into %v", data, pattern(values))
		}
		dims[t.minusOne] = left
	}
	shape := ir.ShapeOf(dims...)
	zeros := false
	for _, d := range t.dims {
		zeros = zeros || specialZero && d == ir.Dim(0)
	}
	if data.IsStatic() && shape.IsStatic() && !zeros && t.minusOne < 0 && from.static != to.static {
		return ir.PartialShape{}, faults.Errorf("data of shape %v cannot become %v", data, shape)
	}
	return shape, nil
}

// pattern returns the values of the input shape for an error.
func pattern(values []ir.Interval) []int64 {
	list := make([]int64, len(values))
	for i, v := range values {
		list[i] = v.Max
	}
	return list
}

// elements returns the dimensions of the output, where that of -1 is not computed yet, and the
// numbers of elements of data and of the output without -1. Dimensions that both have are left out
// of these numbers.
func elements(data ir.PartialShape, t target, specialZero bool) (dims []ir.Dimension, from, to product, err error) {
	dims = make([]ir.Dimension, len(t.dims))
	var ins, outs []ir.Dimension
	from, to = one, one
	for i, d := range t.dims {
		kept := specialZero && d == ir.Dim(0)
		dims[i] = d
		switch {
		case kept && !data.RankKnown():
			dims[i] = ir.AnyDim
			from.dynamic, to.dynamic = ir.AnyDim, ir.AnyDim
		case kept && i >= data.Rank():
			return nil, from, to, faults.Errorf("shape[%d] is 0, data of shape %v has no such axis", i, data)
		case kept:
			dims[i] = data.At(i)
		case i != t.minusOne || !data.RankKnown():
			outs = append(outs, d)
		}
		if i < data.Rank() && !kept {
			ins = append(ins, data.At(i))
		}
	}
	if data.Rank() > len(t.dims) {
		ins = append(ins, data.Dims()[len(t.dims):]...)
	}
	cancel(ins, outs, &from, &to)
	return dims, from, to, nil
}

// bounds copies the known values, because the order of the elements does not change.
func bounds(in *ops.Inference) {
	if _, known := in.Inputs[1].Ints(); known {
		in.Outputs[0].Values = in.Inputs[0].Bounds()
	}
}
