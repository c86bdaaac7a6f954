// Package bitcast reads the bits of elements as elements of another type.
//
//	output[i] = the element of type destination_type with the bits of data[i]
//
// Versions: the namespace vinoir. Models that are read from ONNX files have the layer, since none
// of OpenVINO's keeps the bits of floats.
//
// Input: data, of any element type of fixed size and any shape. Output: the shape of data.
//
// Attribute: destination_type, required: a type with as many bits as that of data. It cannot be
// boolean, whose elements are 0 or 1.
//
// Specification: ONNX has an operator of the same name.
package bitcast

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "BitCast", Namespace: "vinoir",
	Inputs:     ops.Exactly(1),
	Attributes: parse,
	Infer:      infer,
	Prepare:    ops.PrepareView, // a copy: values of two types cannot share memory
}}

// attributes are those of a layer.
type attributes struct{ destination ir.ElementType }

func parse(a *ir.Attributes) (any, error) {
	a.Expect("destination_type")
	t := a.ElementType("destination_type", ir.Dynamic)
	if a.Err() == nil && (t.Bits() == 0 || t == ir.Boolean) {
		a.Fail("destination_type", "%v, expected a type of fixed size other than boolean", t)
	}
	return attributes{t}, a.Err()
}

func infer(in *ops.Inference) error {
	data, t := &in.Inputs[0], in.Attributes.(attributes).destination
	if data.Type != ir.Dynamic && data.Type.Bits() != t.Bits() {
		return faults.Errorf("data is %v, whose elements have %d bits, and those of %v have %d", data.Type, data.Type.Bits(), t, t.Bits())
	}
	return ops.SetOutputs(in, ir.Fact{Type: t, Shape: data.Shape})
}
