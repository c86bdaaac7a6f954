// Package fakeconvert computes FakeConvert, which rounds to an 8-bit floating-point type and back.
//
//	output[i] = (destination_type(data[i]*scale[i]-shift[i]) + shift[i]) / scale[i]
//
// scale and shift are broadcast to data by numpy's rule.
//
// Versions: FakeConvert-13.
//
// Inputs, of type T: data, scale, and optionally shift, 0 by default, of the shape of scale.
//
// Output: type T and the shape of data.
//
// T is f16, bf16 or f32. All are computed in f32.
//
// destination_type rounds to the nearest number, halves to even. What is beyond its range,
// infinities included, becomes its greatest number: 448 in f8e4m3, 57344 in f8e5m2. NaN stays NaN.
// A scale of 0 gives NaN.
//
// Attributes: destination_type, f8e4m3 (the default) or f8e5m2.
//
// Specification: OpenVINO operation set, quantization, FakeConvert-13.
package fakeconvert

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "FakeConvert", Version: 13,
	Inputs:     ops.Between(2, 3),
	Attributes: parse,
	Infer:      infer,
	Prepare:    prepare,
}}

type attributes struct {
	destination ir.ElementType
}

func parse(a *ir.Attributes) (any, error) {
	at := attributes{a.ElementType("destination_type", ir.F8E4M3)}
	if at.destination != ir.F8E4M3 && at.destination != ir.F8E5M2 {
		a.Fail("destination_type", "%v is neither f8e4m3 nor f8e5m2", at.destination)
	}
	return at, a.Err()
}
