package result

import "github.com/vinoir/vinoir/ops"

// infer passes on all that is known of the input, its value included.
func infer(in *ops.Inference) error {
	in.Outputs[0] = in.Inputs[0]
	return nil
}
