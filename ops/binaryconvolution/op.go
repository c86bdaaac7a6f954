// Package binaryconvolution computes BinaryConvolution, a convolution of bits.
//
//	output[n,o,y...] = sum over c, k... of xnor(data[n,c,y*strides+k*dilations-pads_begin...], filters[o,c,k...])
//
// xnor is 1 for equal bits and -1 for different bits.
//
// An element of data that is greater than 0 is the bit 1; all others are 0, NaN included. Bit i of
// filters is bit i%8 of its byte i/8, counted from the lowest. Elements outside of data are not
// compared at all if pad_value is 0; they are the bit 1 if it is 1, and the bit 0 otherwise.
//
// Versions: BinaryConvolution-1.
//
// Inputs: data [N,C,H,W] of a numeric type T, and filters [O,C,KH,KW] of bits.
//
// Output: [N,O,OH,OW] of type T. The kernel computes f32, f64, f16, bf16, i32 and i64.
//
// Attributes: strides, dilations, pads_begin, pads_end and auto_pad as for a convolution; mode,
// which is xnor-popcount; pad_value, the value of elements outside of data. The specification has
// no default for mode and pad_value.
//
// Errors: numbers of channels that differ between data and filters, and a window that is longer
// than the padded input.
//
// Specification: OpenVINO operation set, convolution, BinaryConvolution-1.
package binaryconvolution

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "BinaryConvolution", Version: 1,
	Inputs:     ops.Exactly(2),
	Types:      []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16, ir.I32, ir.I64},
	Attributes: parse,
	Infer:      infer,
	Prepare:    prepare,
}}

type attributes struct {
	window.Attributes
	padValue float64
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("dilations")
	a.Expect("mode")
	a.Expect("pad_value")
	at := &attributes{Attributes: window.Parse(a), padValue: a.Float("pad_value", 0)}
	at.Dilations = window.Sizes(a, "dilations")
	a.Enum("mode", "xnor-popcount", "xnor-popcount")
	return at, a.Err()
}
