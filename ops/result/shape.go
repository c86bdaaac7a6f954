package result

import "github.com/vinoir/vinoir/ir"

// infer passes on all that is known of the input, its value included.
func infer(in *ir.Inference) error {
	in.Outputs[0] = in.Inputs[0]
	return nil
}
