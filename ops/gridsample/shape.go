package gridsample

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	data, grid, out := in.Inputs[0].Shape, in.Inputs[1].Shape, &in.Outputs[0]
	if err := check.Real("grid", in.Inputs[1].Type); err != nil {
		return err
	}
	if err := check.Rank("data", data, 4); err != nil {
		return err
	}
	if err := check.Rank("grid", grid, 4); err != nil {
		return err
	}
	if !grid.At(3).Contains(2) {
		return faults.Errorf("grid has shape %v, expected 2 coordinates in its last axis", grid)
	}
	batch, ok := data.At(0).Merge(grid.At(0))
	if !ok {
		return faults.Errorf("data has shape %v, grid has shape %v: the batches differ", data, grid)
	}
	out.Type, out.Shape = in.Inputs[0].Type, ir.ShapeOf(batch, data.At(1), grid.At(1), grid.At(2))
	return nil
}
