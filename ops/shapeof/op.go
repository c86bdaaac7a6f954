// Package shapeof returns the shape of a tensor as a tensor.
//
//	output[i] = length of axis i of data
//
// Versions: ShapeOf-1, whose output is i64, and ShapeOf-3, whose attribute output_type is i64 or
// i32. Inputs: data, of any element type and shape. Output: a vector with one element for each axis
// of data.
//
// Specification: OpenVINO operation set, shape, ShapeOf-1 and ShapeOf-3.
package shapeof

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	shapeOf(1, func(*ir.Attributes) (any, error) { return attributes{ir.I64}, nil }),
	shapeOf(3, parse),
}

func shapeOf(version int, parse func(*ir.Attributes) (any, error)) ops.Op {
	return ops.Op{
		Type: "ShapeOf", Version: version,
		Inputs:     ops.Exactly(1),
		Attributes: parse,
		Infer:      infer,
		Bounds:     bounds,
		Prepare:    prepare,
	}
}

type attributes struct {
	outputType ir.ElementType
}

func parse(a *ir.Attributes) (any, error) {
	t := a.ElementType("output_type", ir.I64)
	if t != ir.I64 && t != ir.I32 {
		a.Fail("output_type", "%v is neither i64 nor i32", t)
	}
	return attributes{t}, a.Err()
}
