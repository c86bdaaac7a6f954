package variable

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// pass sets the type and shape of the output to those of the input.
func pass(in *ops.Inference) {
	in.Outputs[0] = ir.Fact{Type: in.Inputs[0].Type, Shape: in.Inputs[0].Shape}
}

func inferRead3(in *ops.Inference) error {
	pass(in)
	return nil
}

func inferRead6(in *ops.Inference) error {
	at := in.Attributes.(attributes)
	variable := ir.Fact{Type: at.elementType, Shape: at.shape}
	if in.Variables != nil {
		in.Variables[at.id] = variable
	}
	in.Outputs[0] = variable
	if len(in.Inputs) == 0 {
		return nil
	}
	initial := &in.Inputs[0]
	switch {
	case !at.shape.Contains(initial.Shape):
		return faults.Errorf("variable_shape %v does not hold the initial value's shape %v", at.shape, initial.Shape)
	case at.elementType != ir.Dynamic && at.elementType != initial.Type:
		return faults.Errorf("variable_type is %v, the initial value is %v", at.elementType, initial.Type)
	case !at.shape.RankKnown() && at.elementType == ir.Dynamic:
		pass(in) // older files have no such attributes
	}
	return nil
}

// inferAssign3 compares the input with the output of the ReadValue-3 of the same variable. The
// input must depend on that layer.
func inferAssign3(in *ops.Inference) error {
	at, input := in.Attributes.(attributes), &in.Inputs[0]
	if in.ReadValue == nil { // a layer by itself, whose graph was inferred before
		pass(in)
		return nil
	}
	variable := in.ReadValue()
	switch {
	case variable == nil:
		return faults.Errorf("the input depends on no ReadValue of opset3 to opset5 with the variable_id %q", at.id)
	case variable.Type != input.Type:
		return faults.Errorf("the input is %v, variable %q is %v", input.Type, at.id, variable.Type)
	case input.Shape.IsStatic() && variable.Shape.IsStatic() && !input.Shape.Equal(variable.Shape):
		return faults.Errorf("the input has shape %v, variable %q has %v", input.Shape, at.id, variable.Shape)
	}
	pass(in)
	return nil
}

// inferAssign6 compares the input with the type and shape that the ReadValue-6 of the same variable
// declares. It ignores a ReadValue-3.
func inferAssign6(in *ops.Inference) error {
	at, input := in.Attributes.(attributes), &in.Inputs[0]
	if variable, ok := in.Variables[at.id]; ok {
		if _, ok := ir.MergeElementTypes(input.Type, variable.Type); !ok {
			return faults.Errorf("the input is %v, variable %q is %v", input.Type, at.id, variable.Type)
		}
		if !input.Shape.Compatible(variable.Shape) {
			return faults.Errorf("the input has shape %v, variable %q has %v", input.Shape, at.id, variable.Shape)
		}
	}
	pass(in)
	return nil
}
