// Package convolution computes Convolution and GroupConvolution in one, two and three dimensions.
//
//	Convolution      output[n,o,y...] = sum over c, k... of data[n,c,y*strides+k*dilations-pads_begin...] * filters[o,c,k...]
//	GroupConvolution output[n,g*O+o,y...] = the same with channel g*C+c of data and filters[g,o,c,k...]
//
// Elements outside of data are 0.
//
// Versions: Convolution-1, GroupConvolution-1. Inputs of Convolution: data [N,C,spatial...] of rank
// 3 to 5 and filters [O,C,kernel...]. Inputs of GroupConvolution: data [N,G*C,spatial...] of rank 3
// to 5 and filters [G,O,C,kernel...]. All inputs have one type T. Output: [N,O,spatial...] or
// [N,G*O,spatial...]. T: f32, f64, f16, bf16, and integers of 8 to 64 bits; the 16-bit floats are
// computed in f32 and rounded once, sums and products of integers wrap. The shape rule accepts
// every numeric type.
//
// f32 is computed by package conv: groups with one channel plane by plane, windows of 3 by 3, or of
// planes of 3 by 3, by Winograd's minimal filtering if that is faster, windows that are whole
// images as matrix-vector products, windows of one element with few channels pointwise, and all
// other windows as an implicit matrix product. The matrix
// product multiplies elements outside of data, which are 0, by the filter. These kernels apply
// stages. Integers are computed by package integerconv. The other types are computed directly, with
// package window: rows of data, multiplied by an element of the filter, are added to rows of the
// output.
//
// Attributes: strides and dilations, 1 if missing; pads_begin and pads_end, 0 if missing; and
// auto_pad: explicit uses the pads, valid does not pad, and same_upper and same_lower pad so that
// the length of the output is that of the input divided by the stride, rounded up.
//
// Errors: data and filters have different numbers of channels, or a window is longer than the
// padded input.
//
// QuantizedConvolution-vinoir, which only passes insert, convolves numbers of levels, as
// Quantize-vinoir returns them, with filters of 8 bits:
//
//	output[n,o,y...] = scale[o] * (sum over c, k... of data[...] * filters[...]) + offset[o]
//
// Elements outside of data are the attribute outside, 0 to 255. The sums are exact; a filter has 1
// to 65792 elements. Inputs: data, u8; filters, i8, with groups if the attribute grouped is set;
// scale and offset, f32 with an element for each output channel. Output: f32.
//
// Specification: OpenVINO operation set, convolution, Convolution-1 and GroupConvolution-1.
package convolution

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/integerconv"
	"github.com/vinoir/vinoir/ops/internal/passes/quantization"
	"github.com/vinoir/vinoir/ops/internal/widened"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "Convolution", Version: 1,
		Inputs:     ops.Exactly(2),
		Types:      integerconv.AllTypes,
		Attributes: parse,
		Infer:      infer,
		Prepare:    widened.PrepareConstants(widened.Halves, prepare, 0, 1),
		Fusion:     ops.Fusion{Applies: true},
		Traits:     ops.Traits{Linear: &ops.Linear{Weights: 1, In: 1, Out: 0, Integers: "QuantizedConvolution"}},
		Passes:     []ops.Pass{{Name: "MultiplyInF32", Run: quantization.MultiplyInF32}},
	},
	{
		Type: "GroupConvolution", Version: 1,
		Inputs:     ops.Exactly(2),
		Types:      integerconv.AllTypes,
		Attributes: parse,
		Infer:      inferGroups,
		Prepare:    widened.PrepareConstants(widened.Halves, prepare, 0, 1),
		Fusion:     ops.Fusion{Applies: true},
		Traits:     ops.Traits{Linear: &ops.Linear{Weights: 1, In: 2, Out: 1, Grouped: true, Integers: "QuantizedConvolution"}},
	},
	{
		Type: "QuantizedConvolution", Namespace: "vinoir",
		Inputs:     ops.Exactly(4),
		Types:      []ir.ElementType{ir.U8},
		Attributes: window.ParseQuantized(parse),
		Values:     []int{1, 2, 3},
		Infer:      window.InferQuantized(infer, inferGroups),
		Prepare:    window.PrepareQuantized(quantizedGeometry),
		Fusion:     ops.Fusion{Applies: true, Stores: true},
	},
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("dilations")
	w := window.Parse(a)
	w.Dilations = window.Sizes(a, "dilations")
	return &w, a.Err()
}
