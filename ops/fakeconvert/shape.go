package fakeconvert

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	t, err := check.OneType(in.Inputs, "data", "scale", "shift")
	if err != nil {
		return err
	}
	if t != ir.Dynamic && t != ir.F16 && t != ir.BF16 && t != ir.F32 {
		return faults.Errorf("the inputs are %v, expected f16, bf16 or f32", t)
	}
	data, scale := in.Inputs[0].Shape, in.Inputs[1].Shape
	if len(in.Inputs) > 2 && !scale.Compatible(in.Inputs[2].Shape) {
		return faults.Errorf("scale has shape %v, shift has shape %v", scale, in.Inputs[2].Shape)
	}
	out, ok := data.Broadcast(scale)
	if !ok || !out.Compatible(data) {
		return faults.Errorf("scale has shape %v, which does not broadcast to data of shape %v", scale, data)
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = t, out
	return nil
}
