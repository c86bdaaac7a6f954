package gridsample

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ir.Inference) error {
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
	dims := []ir.Dimension{ir.AnyDim, ir.AnyDim, ir.AnyDim, ir.AnyDim}
	if data.RankKnown() {
		dims[0], dims[1] = data.At(0), data.At(1)
	}
	if grid.RankKnown() {
		if !grid.At(3).Contains(2) {
			return fmt.Errorf("grid has shape %v, expected 2 coordinates in its last axis", grid)
		}
		var ok bool
		if dims[0], ok = dims[0].Merge(grid.At(0)); !ok {
			return fmt.Errorf("data has shape %v, grid has shape %v: the batches differ", data, grid)
		}
		dims[2], dims[3] = grid.At(1), grid.At(2)
	}
	out.Type, out.Shape = in.Inputs[0].Type, ir.ShapeOf(dims...)
	return nil
}
