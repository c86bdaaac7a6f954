package eltwise

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func inferArithmetic(in *ops.Inference) error {
	t, err := inferOperands(in)
	if err != nil {
		return err
	}
	if t == ir.Boolean || t == ir.String {
		return faults.Errorf("inputs are %v, which has no arithmetic", t)
	}
	in.Outputs[0].Type = t
	return nil
}

func inferComparison(in *ops.Inference) error {
	_, err := inferOperands(in)
	in.Outputs[0].Type = ir.Boolean
	return err
}

func inferLogical(in *ops.Inference) error {
	t, err := inferOperands(in)
	if err != nil {
		return err
	}
	if t != ir.Boolean && t != ir.Dynamic {
		return faults.Errorf("inputs are %v, expected boolean", t)
	}
	in.Outputs[0].Type = ir.Boolean
	return nil
}

func inferBitwise(in *ops.Inference) error {
	t, err := inferOperands(in)
	if err != nil {
		return err
	}
	if !t.IsIntegral() && t != ir.Dynamic {
		return faults.Errorf("inputs are %v, expected integers or booleans", t)
	}
	in.Outputs[0].Type = t
	return nil
}

func inferShift(in *ops.Inference) error {
	t, err := inferOperands(in)
	if err != nil {
		return err
	}
	if !t.IsInteger() && t != ir.Dynamic {
		return faults.Errorf("inputs are %v, expected integers", t)
	}
	in.Outputs[0].Type = t
	return nil
}

// inferPRelu ignores the slope, as OpenVINO does.
func inferPRelu(in *ops.Inference) error {
	in.Outputs[0].Type, in.Outputs[0].Shape = in.Inputs[0].Type, in.Inputs[0].Shape
	return nil
}

// inferOperands sets the shape of the output, and returns the type of the inputs.
func inferOperands(in *ops.Inference) (ir.ElementType, error) {
	a, b := &in.Inputs[0], &in.Inputs[1]
	t, ok := ir.MergeElementTypes(a.Type, b.Type)
	if !ok {
		return t, faults.Errorf("input 0 is %v, input 1 is %v", a.Type, b.Type)
	}
	at := in.Attributes.(attributes)
	in.Outputs[0].Shape, ok = at.Join(a.Shape, b.Shape)
	if !ok {
		return t, faults.Errorf("input 0 is %v, input 1 is %v, which do not %v", a.Shape, b.Shape, at.Rule)
	}
	return t, nil
}
