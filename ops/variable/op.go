// Package variable infers ReadValue and Assign, by which a model has a state: variables
// that live from one inference to the next.
//
//	ReadValue: output = the variable, or init_value where nothing was assigned
//	Assign:    the variable = input; output = input
//
// Versions: ReadValue-3, ReadValue-6, Assign-3, Assign-6. Inputs: one tensor of type
// T; ReadValue-6 may go without. Output: a tensor of T. T: every element type.
//
// Attributes: variable_id, required; variable_type and variable_shape of ReadValue-6,
// dynamic and of unknown rank where they are missing.
//
// Errors: an init_value that is not of the variable's type or of a shape that its
// shape holds; an input of Assign that does not fit its variable; an Assign-3 whose
// input depends on no ReadValue-3 of that variable.
//
// Specification: OpenVINO operation set, infrastructure, ReadValue-3, ReadValue-6,
// Assign-3, Assign-6.
package variable

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{Type: "Assign", Version: 3, Inputs: ops.Exactly(1), Attributes: parseID, Infer: inferAssign3, Traits: ops.Traits{Stateful: true}},
	{Type: "Assign", Version: 6, Inputs: ops.Exactly(1), Attributes: parseID, Infer: inferAssign6, Traits: ops.Traits{Stateful: true}},
	{Type: "ReadValue", Version: 3, Inputs: ops.Exactly(1), Attributes: parseID, Infer: inferRead3, Traits: ops.Traits{Stateful: true}},
	{Type: "ReadValue", Version: 6, Inputs: ops.Between(0, 1), Attributes: parseRead6, Infer: inferRead6, Traits: ops.Traits{Stateful: true}},
}

type attributes struct {
	id string
	// of ReadValue-6; dynamic and of unknown rank where they are missing
	elementType ir.ElementType
	shape       ir.PartialShape
}

func parseID(a *ir.Attributes) (any, error) {
	if _, ok := a.Lookup("variable_id"); !ok {
		a.Fail("variable_id", "missing")
	}
	return attributes{id: a.String("variable_id", "")}, a.Err()
}

func parseRead6(a *ir.Attributes) (any, error) {
	a.Expect("variable_type")
	a.Expect("variable_shape")
	at, err := parseID(a)
	if err != nil {
		return nil, err
	}
	return attributes{
		id:          at.(attributes).id,
		elementType: a.ElementType("variable_type", ir.Dynamic),
		shape:       a.PartialShape("variable_shape", ir.UnknownRank),
	}, a.Err()
}
