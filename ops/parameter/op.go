// Package parameter implements Parameter: an input of a model.
//
// Attributes: element_type, dynamic if missing, and shape, a partial shape, that of a scalar if
// missing. Versions: Parameter-1. No inputs; the caller sets the output. T: every element type.
//
// Specification: OpenVINO operation set, infrastructure, Parameter-1.
package parameter

import (
	"errors"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Parameter", Version: 1,
	Attributes: parse,
	Infer:      infer,
	Prepare:    prepare,
}}

type attributes struct {
	elementType ir.ElementType
	shape       ir.PartialShape
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("element_type")
	a.Expect("shape")
	return attributes{
		elementType: a.ElementType("element_type", ir.Dynamic),
		shape:       a.PartialShape("shape", ir.PartialShape{}),
	}, a.Err()
}

func prepare(*ops.Preparation) (*ops.Prepared, error) {
	return nil, errors.New("a Parameter has no kernel: its value is set by the caller")
}
