// Package grn normalises the channels of each position to length 1.
//
//	output[b,c,...] = data[b,c,...] / sqrt(bias + sum over k of data[b,k,...]^2)
//
// Versions: GRN-1. Input: data of 2 to 4 axes, the second of which holds the
// channels, and any type, of which f32, f64, and f16 and bf16, in float32 and rounded
// once, are computed. Output: the type and shape of data. Attribute: bias, 1
// where it is missing.
//
// Specification: OpenVINO operation set, normalization, GRN-1.
package grn

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "GRN", Version: 1,
	Inputs:     ops.Exactly(1),
	Types:      []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16},
	Attributes: parse,
	Infer:      infer,
	Memory:     ops.Memory{InPlace: []int{0}},
	Prepare:    prepare,
}}

type attributes struct {
	bias float32
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("bias")
	return attributes{float32(a.Float("bias", 1))}, a.Err()
}
