package unsqueeze

import (
	"errors"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	data, axes, out := in.Inputs[0].Shape, &in.Inputs[1], &in.Outputs[0]
	out.Type = in.Inputs[0].Type
	if axes.Shape.Rank() > 1 {
		return faults.Errorf("axes has shape %v, not that of a vector or scalar", axes.Shape)
	}
	if err := check.AxisCount("axes", axes.Shape); err != nil {
		return err
	}
	values, known := axes.Ints()
	switch {
	case data.RankKnown() && known:
		var err error
		out.Shape, err = insert(data, values)
		return err
	default:
		out.Shape = ir.UnknownRank // as in OpenVINO, even if axes has one element
	}
	return nil
}

// insert returns data with axes of length 1 at the given positions of the result.
func insert(data ir.PartialShape, values []int64) (ir.PartialShape, error) {
	if len(values) == 0 {
		return ir.PartialShape{}, errors.New("axes names no axis")
	}
	slices.Sort(values)
	values = slices.Compact(values)
	// An axis that is listed as a positive and as a negative number counts twice in the rank that
	// negative numbers refer to.
	rank := data.Rank() + len(values)
	axes := make([]int, len(values))
	for i, v := range values {
		var err error
		if axes[i], err = index.Axis(v, rank); err != nil {
			return ir.PartialShape{}, err
		}
	}
	slices.Sort(axes)
	dims := slices.Clone(data.Dims())
	for _, axis := range slices.Compact(axes) {
		dims = slices.Insert(dims, min(axis, len(dims)), ir.Dim(1))
	}
	return ir.ShapeOf(dims...), nil
}

// bounds copies the known values, because the order of the elements does not change.
func bounds(in *ops.Inference) {
	if _, known := in.Inputs[1].Ints(); known {
		in.Outputs[0].Values = in.Inputs[0].Bounds()
	}
}
