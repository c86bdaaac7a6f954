// Package constant implements Constant: a tensor that the model stores in its .bin.
//
// Attributes: element_type and shape, which is static. The reader makes a tensor of them and of the
// data in the .bin. If the model was read without its .bin, only the type and the shape are known.
// Versions: Constant-1, named "Const" in files. No inputs. T: every element type except dynamic.
//
// Specification: OpenVINO operation set, infrastructure, Constant-1.
package constant

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Constant", Version: 1,
	Attributes: parse,
	Infer:      infer,
	Prepare:    prepare,
}}

type attributes struct {
	elementType ir.ElementType
	shape       ir.PartialShape
}

// parse reads the attributes only if the reader did not make a tensor of them.
func parse(a *ir.Attributes) (any, error) {
	if t := a.Layer().Constant; t != nil {
		return attributes{t.ElementType(), t.Shape().Partial()}, nil
	}
	t := a.ElementType("element_type", ir.Dynamic)
	if t == ir.Dynamic {
		a.Fail("element_type", "a Constant must have an element type")
	}
	if _, ok := a.Lookup("shape"); !ok {
		a.Fail("shape", "a Constant must have a shape")
	}
	lengths := a.Ints("shape")
	for i, n := range lengths {
		if n < 0 || n == ir.Unbounded {
			a.Fail("shape", "dimension %d is %d, not a number from 0 to 2^63-2", i, n)
		}
	}
	return attributes{t, ir.StaticShape(lengths...)}, a.Err()
}
