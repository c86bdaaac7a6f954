package activation

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func inferHardSigmoid(in *ops.Inference) error {
	for i, name := range []string{"alpha", "beta"} {
		if err := check.ScalarIfStatic(name, in.Inputs[i+1].Shape); err != nil {
			return err
		}
	}
	if err := sameTypes(in); err != nil {
		return err
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = in.Inputs[0].Type, in.Inputs[0].Shape
	return nil
}

func inferSelu(in *ops.Inference) error {
	t, err := check.OneType(in.Inputs, "data", "alpha", "lambda")
	if err != nil {
		return err
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = t, in.Inputs[0].Shape
	return check.Real("data", t)
}

func inferSwish(in *ops.Inference) error {
	if err := check.Real("data", in.Inputs[0].Type); err != nil {
		return err
	}
	if err := sameTypes(in); err != nil {
		return err
	}
	if len(in.Inputs) > 1 {
		if err := check.Rank("beta", in.Inputs[1].Shape, 0); err != nil {
			return err
		}
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = in.Inputs[0].Type, in.Inputs[0].Shape
	return nil
}

// sameTypes returns an error unless all inputs have one type. As in OpenVINO, an unknown type
// differs from every known one.
func sameTypes(in *ops.Inference) error {
	for i := range in.Inputs {
		if in.Inputs[i].Type != in.Inputs[0].Type {
			return faults.Errorf("input %d is %v, data is %v", i, in.Inputs[i].Type, in.Inputs[0].Type)
		}
	}
	return nil
}
