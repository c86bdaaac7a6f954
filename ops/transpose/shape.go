package transpose

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

func infer(in *ops.Inference) error {
	arg, input, out := in.Inputs[0].Shape, &in.Inputs[1], &in.Outputs[0]
	out.Type = in.Inputs[0].Type
	if err := check.Integer("input_order", input.Type); err != nil {
		return err
	}
	if err := check.Rank("input_order", input.Shape, 1); err != nil {
		return err
	}
	if err := check.AxisCount("input_order", input.Shape); err != nil {
		return err
	}
	if n := input.Shape.At(0); n != ir.Dim(0) && arg.RankKnown() && !n.Contains(int64(arg.Rank())) {
		return faults.Errorf("input_order has %v elements, arg of shape %v has %d axes", n, arg, arg.Rank())
	}
	values, known := input.Ints()
	switch {
	case known && arg.RankKnown():
		order, err := orderOf(values, arg.Rank())
		if err != nil {
			return err
		}
		dims := make([]ir.Dimension, len(order))
		for i, axis := range order {
			dims[i] = arg.At(axis)
		}
		out.Shape = ir.ShapeOf(dims...)
	case known && len(values) > 0:
		out.Shape = ir.ShapeOfRank(len(values))
	case arg.RankKnown():
		out.Shape = ir.ShapeOfRank(arg.Rank())
	default:
		out.Shape = ir.UnknownRank
	}
	return nil
}

// orderOf returns the axis of arg for each axis of the output.
func orderOf(values []int64, rank int) ([]int, error) {
	order := make([]int, rank)
	if len(values) == 0 {
		for i := range order {
			order[i] = rank - 1 - i
		}
		return order, nil
	}
	if len(values) != rank {
		return nil, faults.Errorf("input_order has %d elements, arg has %d axes", len(values), rank)
	}
	seen := make([]bool, rank)
	for i, v := range values {
		if v < 0 || v >= int64(rank) {
			return nil, faults.Errorf("input_order[%d] is %d, outside [0,%d]", i, v, rank-1)
		}
		if seen[v] {
			return nil, faults.Errorf("input_order[%d] is %d, which an element before it is too", i, v)
		}
		order[i], seen[v] = int(v), true
	}
	return order, nil
}

// bounds reorders the known values.
func bounds(in *ops.Inference) {
	values := in.Inputs[0].Bounds()
	order, known := in.Inputs[1].Ints()
	arg, err := in.Inputs[0].Shape.Static()
	if values == nil || !known || err != nil {
		return
	}
	view, err := viewOf(arg, order)
	if err != nil {
		return
	}
	reordered := make([]ir.Interval, len(values))
	for i := range reordered {
		reordered[i] = values[view.At(i)]
	}
	in.Outputs[0].Values = reordered
}

// viewOf returns the view of arg that has the elements of the output.
func viewOf(arg ir.Shape, values []int64) (strided.View, error) {
	order, err := orderOf(values, len(arg))
	if err != nil {
		return strided.View{}, err
	}
	v := strided.View{Lengths: make([]int, len(order)), Strides: make([]int, len(order))}
	strides := strided.Strides(arg)
	for i, axis := range order {
		v.Lengths[i], v.Strides[i] = arg[axis], strides[axis]
	}
	return v, nil
}
