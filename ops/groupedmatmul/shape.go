package groupedmatmul

import (
	"errors"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	a, b, out := in.Inputs[0].Shape, in.Inputs[1].Shape, &in.Outputs[0]
	var ok bool
	if out.Type, ok = ir.MergeElementTypes(in.Inputs[0].Type, in.Inputs[1].Type); !ok {
		return faults.Errorf("mat_a is %v, mat_b is %v", in.Inputs[0].Type, in.Inputs[1].Type)
	}
	if len(in.Inputs) > 2 {
		if err := check.Index("offsets", in.Inputs[2].Type); err != nil {
			return err
		}
	}
	out.Shape = ir.UnknownRank
	if !a.RankKnown() || !b.RankKnown() {
		return nil
	}
	if b.Rank() != 3 || a.Rank() != 2 && a.Rank() != 3 {
		return faults.Errorf("mat_a has shape %v, mat_b has shape %v, expected ranks 2 or 3, and 3", a, b)
	}
	if !a.At(a.Rank() - 1).Compatible(b.At(2)) {
		return faults.Errorf("mat_a has shape %v, mat_b has shape %v: their rows are not equally long", a, b)
	}
	if a.Rank() == 3 {
		groups, ok := a.At(0).Merge(b.At(0))
		if !ok {
			return faults.Errorf("mat_a has shape %v, mat_b has shape %v: the numbers of groups differ", a, b)
		}
		out.Shape = ir.ShapeOf(groups, a.At(1), b.At(1))
		return nil
	}
	if len(in.Inputs) < 3 {
		return errors.New("offsets is missing, which mat_a of two axes needs")
	}
	out.Shape = ir.ShapeOf(a.At(0), b.At(1))
	return check.Rank("offsets", in.Inputs[2].Shape, 1)
}
