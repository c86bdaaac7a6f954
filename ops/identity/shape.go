package identity

import "github.com/vinoir/vinoir/ops"

func infer(in *ops.Inference) error {
	in.Outputs[0].Type, in.Outputs[0].Shape = in.Inputs[0].Type, in.Inputs[0].Shape
	return nil
}
