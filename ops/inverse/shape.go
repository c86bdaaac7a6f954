package inverse

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	data := &in.Inputs[0]
	if err := check.Real("data", data.Type); err != nil {
		return err
	}
	if s := data.Shape; s.RankKnown() {
		if s.Rank() < 2 {
			return faults.Errorf("data has shape %v, which holds no matrices", s)
		}
		// Like OpenVINO, accept dynamic lengths that cannot be equal.
		rows, columns := s.At(s.Rank()-2), s.At(s.Rank()-1)
		if rows.IsStatic() && columns.IsStatic() && rows != columns {
			return faults.Errorf("data has shape %v, whose matrices are not square", s)
		}
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = data.Type, data.Shape
	return nil
}
