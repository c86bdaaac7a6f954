package grn

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ops"
)

func infer(in *ops.Inference) error {
	data := &in.Inputs[0]
	if rank := data.Shape.Rank(); data.Shape.RankKnown() && (rank < 2 || rank > 4) {
		return faults.Errorf("data has shape %v, expected a rank from 2 to 4", data.Shape)
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = data.Type, data.Shape
	return nil
}
