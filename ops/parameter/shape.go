package parameter

import "github.com/vinoir/vinoir/ir"

func infer(in *ir.Inference) error {
	at := in.Attributes.(attributes)
	in.Outputs[0].Type, in.Outputs[0].Shape = at.elementType, at.shape
	return nil
}
