// Package grn normalises the vector of channels at each position to length 1:
//
//	output[b,c,...] = data[b,c,...] / sqrt(bias + sum over k of data[b,k,...]^2)
//
// Versions: GRN-1. Input: data of 2 to 4 axes and any type. Axis 1 holds the channels. Output:
// the type and shape of data. The kernel computes f32, f64, f16 and bf16; the 16-bit types are
// computed in float32 and rounded once. So are integers, as in OpenVINO: to the nearest, halves to
// even, within the limits of the type. Attribute: bias, by default 1.
//
// Specification: OpenVINO operation set, normalization, GRN-1.
package grn

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// Ops lists the layer types of this family.
var Ops = []ops.Op{{
	Type: "GRN", Version: 1,
	Inputs:     ops.Exactly(1),
	Types:      widened.RoundedTypes,
	Attributes: parse,
	Infer:      infer,
	Memory:     ops.Memory{InPlace: []int{0}},
	Prepare:    widened.Prepare(widened.Rounded, prepare, 0),
}}

type attributes struct {
	bias float32
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("bias")
	return attributes{float32(a.Float("bias", 1))}, a.Err()
}
