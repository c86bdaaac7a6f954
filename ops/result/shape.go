package result

import "github.com/vinoir/vinoir/ops"

// infer copies everything that is known about the input, including its value.
func infer(in *ops.Inference) error {
	in.Outputs[0] = in.Inputs[0]
	return nil
}
