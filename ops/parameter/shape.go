package parameter

import "github.com/vinoir/vinoir/ops"

func infer(in *ops.Inference) error {
	at := in.Attributes.(attributes)
	in.Outputs[0].Type, in.Outputs[0].Shape = at.elementType, at.shape
	return nil
}
