package slicescatter

import (
	"errors"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/slicing"
)

func infer(in *ops.Inference) error {
	data, updates, out := in.Inputs[0].Shape, in.Inputs[1].Shape, &in.Outputs[0]
	out.Type, out.Shape = in.Inputs[0].Type, data
	ranges := slicing.Ranges(in.Inputs[2:])
	if err := ranges.CheckTypes(); err != nil {
		return err
	}
	switch {
	case !data.RankKnown() && updates.RankKnown():
		out.Shape = ir.ShapeOfRank(updates.Rank())
	case data.RankKnown() && updates.RankKnown() && data.Rank() != updates.Rank():
		return faults.Errorf("data has shape %v, updates has %v, of another rank", data, updates)
	}
	if out.Shape.Rank() == 0 {
		return errors.New("data is a scalar, which has no axis to slice")
	}
	if err := ranges.CheckShapes(out.Shape.Rank()); err != nil {
		return err
	}
	if err := ranges.CheckSteps(); err != nil || !data.RankKnown() {
		return err
	}
	dims, err := ranges.Dims(data)
	if err != nil {
		return err
	}
	if piece := ir.ShapeOf(dims...); !updates.Compatible(piece) {
		return faults.Errorf("updates has shape %v, the piece of data has %v", updates, piece)
	}
	return nil
}
