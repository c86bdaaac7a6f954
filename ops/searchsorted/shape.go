package searchsorted

import (
	"errors"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func infer(in *ops.Inference) error {
	sorted, values := &in.Inputs[0], &in.Inputs[1]
	if _, ok := ir.MergeElementTypes(sorted.Type, values.Type); !ok {
		return faults.Errorf("sorted is %v, values is %v", sorted.Type, values.Type)
	}
	shape, err := outputShape(sorted.Shape, values.Shape)
	if err != nil {
		return err
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = in.Attributes.(attributes).outputType, shape
	return nil
}

func outputShape(sorted, values ir.PartialShape) (ir.PartialShape, error) {
	switch {
	case sorted.Rank() == 0:
		return values, errors.New("sorted is a scalar, not a sequence")
	case values.Rank() == 0 && sorted.Rank() > 1:
		return values, faults.Errorf("values is a scalar, sorted of shape %v is not one sequence", sorted)
	case !sorted.RankKnown() || sorted.Rank() == 1:
		return values, nil
	}
	shape, ok := values.Merge(sorted.With(sorted.Rank()-1, ir.AnyDim))
	if !ok {
		return values, faults.Errorf("sorted has shape %v, values has shape %v, which differs in more than the last axis", sorted, values)
	}
	return shape, nil
}
