package ctcgreedydecoder

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	data, mask := in.Inputs[0].Shape, in.Inputs[1].Shape
	if err := check.Rank("data", data, 3); err != nil {
		return err
	}
	if err := check.Rank("sequence_mask", mask, 2); err != nil {
		return err
	}
	both, ok := ir.ShapeOf(data.At(0), data.At(1)).Merge(mask)
	if !ok {
		return faults.Errorf("data has shape %v, sequence_mask has shape %v", data, mask)
	}
	in.Outputs[0].Type = in.Inputs[0].Type
	in.Outputs[0].Shape = ir.ShapeOf(both.At(1), both.At(0), ir.Dim(1), ir.Dim(1))
	return nil
}
