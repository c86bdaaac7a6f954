package shufflechannels

import (
	"errors"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ops"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(attributes)
	data := in.Inputs[0].Shape
	in.Outputs[0].Type, in.Outputs[0].Shape = in.Inputs[0].Type, data
	if !data.RankKnown() {
		return nil
	}
	if data.Rank() == 0 {
		return errors.New("data is a scalar, which has no axis")
	}
	axis, err := index.Axis(at.axis, data.Rank())
	if err != nil {
		return err
	}
	if d := data.At(axis); d.IsStatic() && d.Min%at.group != 0 {
		return faults.Errorf("axis %d of data of shape %v is no multiple of group %d", axis, data, at.group)
	}
	return nil
}
