package reverse

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(attributes)
	data, axes := &in.Inputs[0], &in.Inputs[1]
	if at.mask && axes.Type != ir.Boolean {
		return faults.Errorf("reversed_axes is %v, expected boolean in mode mask", axes.Type)
	}
	if !at.mask {
		if err := check.Integer("reversed_axes", axes.Type); err != nil {
			return err
		}
	}
	if err := check.Rank("reversed_axes", axes.Shape, 1); err != nil {
		return err
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = data.Type, data.Shape
	if !data.Shape.RankKnown() {
		return nil
	}
	rank := int64(data.Shape.Rank())
	if at.mask {
		if axes.Shape.RankKnown() && !axes.Shape.At(0).Contains(rank) {
			return faults.Errorf("reversed_axes has shape %v, data of shape %v has %d axes", axes.Shape, data.Shape, rank)
		}
		return nil
	}
	values, _ := axes.Ints()
	for i, v := range values {
		if max(v, 0) >= rank { // like OpenVINO, check a negative number as 0
			return faults.Errorf("reversed_axes[%d] is %d, data of shape %v has %d axes", i, v, data.Shape, rank)
		}
	}
	return nil
}
