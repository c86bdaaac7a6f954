package squeeze

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func infer(in *ops.Inference) error {
	data, out := in.Inputs[0].Shape, &in.Outputs[0]
	out.Type = in.Inputs[0].Type
	if len(in.Inputs) > 1 {
		if s := in.Inputs[1].Shape; s.Rank() > 1 {
			return faults.Errorf("axes has shape %v, not that of a vector or scalar", s)
		}
	}
	if !data.RankKnown() {
		out.Shape = ir.UnknownRank
		return nil
	}
	named, known, err := axes(in, data.Rank())
	switch {
	case err != nil:
		return err
	case !known:
		out.Shape = withoutSome(data, in.Inputs[1].Shape, in.Attributes.(attributes).version)
	case named == nil:
		out.Shape = withoutOnes(data)
	default:
		out.Shape = without(data, named, in.Attributes.(attributes).allowAxisSkip)
	}
	return nil
}

// axes reports for each axis whether it is listed; nil if none is listed. known is false if the
// input axes is unknown.
func axes(in *ops.Inference, rank int) (named []bool, known bool, err error) {
	if len(in.Inputs) < 2 {
		return nil, true, nil
	}
	values, known := in.Inputs[1].Ints()
	if !known || len(values) == 0 {
		return nil, known, nil
	}
	named = make([]bool, rank)
	for _, v := range values {
		// A scalar accepts the same axes as a vector, but has no axis to remove.
		axis, err := index.Axis(v, max(rank, 1))
		if err != nil {
			return nil, false, err
		}
		if rank > 0 {
			named[axis] = true
		}
	}
	return named, true, nil
}

// withoutSome returns the output shape if axes is unknown. If it has one element, the shape may be
// known in part.
func withoutSome(data, axes ir.PartialShape, version int) ir.PartialShape {
	if n := axes.Elements(); data.Rank() == 0 || n != ir.Dim(1) || !axes.IsStatic() {
		return ir.UnknownRank
	}
	for _, d := range data.Dims() {
		if d.Contains(1) {
			if version == 1 {
				return ir.ShapeOfRank(data.Rank() - 1)
			}
			return ir.UnknownRank
		}
	}
	return data
}

// withoutOnes returns the output shape if no axis is listed.
func withoutOnes(data ir.PartialShape) ir.PartialShape {
	dims := make([]ir.Dimension, 0, data.Rank())
	for _, d := range data.Dims() {
		switch {
		case d.IsDynamic() && d.Contains(1):
			return ir.UnknownRank
		case !d.Contains(1):
			dims = append(dims, d)
		}
	}
	return ir.ShapeOf(dims...)
}

// without returns the output shape without the listed axes.
func without(data ir.PartialShape, named []bool, allowAxisSkip bool) ir.PartialShape {
	dims := make([]ir.Dimension, 0, data.Rank())
	for i, d := range data.Dims() {
		switch {
		case !named[i] || !d.Contains(1):
			dims = append(dims, d)
		case d.IsDynamic() && allowAxisSkip:
			return ir.UnknownRank
		}
	}
	return ir.ShapeOf(dims...)
}

// bounds copies the known values, because the order of the elements does not change.
func bounds(in *ops.Inference) {
	if len(in.Inputs) > 1 {
		if _, known := in.Inputs[1].Ints(); !known {
			return
		}
	}
	in.Outputs[0].Values = in.Inputs[0].Bounds()
}
