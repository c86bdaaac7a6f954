package gatherelements

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func infer(in *ops.Inference) error {
	data, indices := in.Inputs[0], in.Inputs[1]
	if indices.Type != ir.I32 && indices.Type != ir.I64 {
		return faults.Errorf("indices are %v, expected i32 or i64", indices.Type)
	}
	shape, err := inferShape(data.Shape, indices.Shape, in.Attributes.(attributes).axis)
	if err != nil {
		return err
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = data.Type, shape
	return nil
}

// inferShape returns the shape of indices, merged with the lengths of data except along axis.
func inferShape(data, indices ir.PartialShape, axis int64) (ir.PartialShape, error) {
	if data.Rank() == 0 {
		return ir.PartialShape{}, faults.Errorf("data is a scalar, expected rank 1 or more")
	}
	if indices.Rank() == 0 {
		return ir.PartialShape{}, faults.Errorf("indices are a scalar, expected rank 1 or more")
	}
	if !data.RankKnown() {
		return indices, nil
	}
	a, err := index.Axis(axis, data.Rank())
	if err != nil {
		return ir.PartialShape{}, err
	}
	dims := slices.Clone(data.Dims())
	dims[a] = ir.AnyDim
	if indices.RankKnown() && indices.Rank() != len(dims) {
		return ir.PartialShape{}, faults.Errorf("indices %v and data %v differ in rank", indices, data)
	}
	shape, ok := ir.ShapeOf(dims...).Merge(indices)
	if !ok {
		return ir.PartialShape{}, faults.Errorf("indices %v and data %v differ off axis %d", indices, data, a)
	}
	return shape, nil
}
