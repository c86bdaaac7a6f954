// Package variable reads and assigns the variables of a model, which keep their values from
// one inference to the next.
//
//	ReadValue: output = value of the variable, or init_value if it has no value
//	Assign:    value of the variable in the next inference = input; output = input
//
// A variable has no value before the first Assign and after a reset. If there is no init_value
// either, the output of ReadValue is zeros. Its dimensions that are not static have length 0.
//
// Versions: ReadValue-3, ReadValue-6, Assign-3, Assign-6. Inputs: one tensor of type T; it is
// optional in ReadValue-6. Output: a tensor of type T. T: every element type.
//
// Attributes: variable_id, required; variable_type and variable_shape of ReadValue-6. If these are
// missing, the type is dynamic and the rank is unknown.
//
// Errors: an init_value whose type or shape does not fit the variable; an input of Assign whose
// type or shape does not fit the variable; an Assign-3 whose input does not depend on a ReadValue-3
// of the same variable; when it runs, a ReadValue whose value does not fit its output.
//
// AppendState-vinoir and StateShape-vinoir are what the compiler inserts for a variable that grows:
//
//	AppendState(rows, init_value, order): value of the variable in the next inference = its value, or
//	    init_value if it has none, with axis 0 in the given order, followed by rows along the attribute axis
//	StateShape(init_value, order): shape of the value, as i64, that AppendState appends to
//
// order, a vector of i32 or i64, is optional. The outputs of AppendState are the value with room
// behind it, whose elements are undefined, and the shape of the value without the room, as i64. The
// attribute kept_type, if it is not that of rows, is the type in which a value of f32 is kept
// between the inferences, and that of output 0: f16, bf16, or u8 as levels.EncodeRows stores the
// last axis.
//
// Specification: OpenVINO operation set, infrastructure, ReadValue-3, ReadValue-6, Assign-3,
// Assign-6.
package variable

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "Assign", Version: 3, Inputs: ops.Exactly(1), Attributes: parseID, Infer: inferAssign3,
		Memory: inPlace, Prepare: prepareAssign, Traits: ops.Traits{Stateful: true, Assigns: idOf},
	},
	{
		Type: "Assign", Version: 6, Inputs: ops.Exactly(1), Attributes: parseID, Infer: inferAssign6,
		Memory: inPlace, Prepare: prepareAssign, Traits: ops.Traits{Stateful: true, Assigns: idOf},
	},
	{
		Type: "ReadValue", Version: 3, Inputs: ops.Exactly(1), Attributes: parseID, Infer: inferRead3,
		Prepare: prepareRead, Traits: ops.Traits{Stateful: true, Reads: idOf},
	},
	{
		Type: "ReadValue", Version: 6, Inputs: ops.Between(0, 1), Attributes: parseRead6, Infer: inferRead6,
		Prepare: prepareRead, Traits: ops.Traits{Stateful: true, Reads: idOf},
	},
	{
		Type: "AppendState", Namespace: "vinoir", Inputs: ops.Between(2, 3), Types: []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16},
		Attributes: parseAppend, Infer: inferAppend, Prepare: prepareAppend, Traits: ops.Traits{Stateful: true},
	},
	{
		Type: "StateShape", Namespace: "vinoir", Inputs: ops.Between(1, 2),
		Attributes: parseAppend, Infer: inferShape, Bounds: boundsShape, Prepare: prepareShape, Traits: ops.Traits{Stateful: true},
	},
}

var inPlace = ops.Memory{InPlace: []int{0}}

// idOf returns the variable_id.
func idOf(at any) string { return at.(attributes).id }

type attributes struct {
	id string // variable_id
	// elementType and shape are set for ReadValue-6. If the attributes are missing, they are
	// Dynamic and UnknownRank.
	elementType ir.ElementType
	shape       ir.PartialShape
}

// parseID parses variable_id, the only attribute of Assign and ReadValue-3.
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
