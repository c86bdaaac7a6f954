package normalizel2

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ops"
)

func infer(in *ops.Inference) error {
	data, axes := &in.Inputs[0], &in.Inputs[1]
	if axes.Shape.Rank() > 1 {
		return faults.Errorf("axes has shape %v, not that of a scalar or vector", axes.Shape)
	}
	if values, known := axes.Ints(); known && data.Shape.RankKnown() {
		for _, axis := range values {
			if _, err := index.Axis(axis, data.Shape.Rank()); err != nil {
				return err
			}
		}
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = data.Type, data.Shape
	return nil
}
