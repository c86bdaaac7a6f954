// Package convolutionbackpropdata computes transposed convolutions in one, two and three
// dimensions. They spread each element of data over a window of the output:
//
//	output[n,o,y*strides+k*dilations-pads_begin...] += data[n,c,y...] * filters[c,o,k...]
//
// for all c, y... and k.... GroupConvolutionBackpropData does so for each group g, with channel
// g*C+c of data, filters[g,c,o,k...] and channel g*O+o of the output. Elements of the output that
// are in no window are 0.
//
// Versions: ConvolutionBackpropData-1, GroupConvolutionBackpropData-1.
//
// Inputs: data [N,C,spatial...] or [N,G*C,spatial...] of rank 3 to 5, filters [C,O,kernel...] or
// [G,C,O,kernel...], of one type T, and optionally output_shape, integers that are the lengths of
// the spatial axes of the output. Without output_shape, these lengths are
//
//	strides*(data-1) + dilations*(kernel-1) + 1 - pads_begin - pads_end + output_padding
//
// T: f32, f64, f16, bf16, and integers of 8 to 64 bits; the 16-bit floats are computed in f32 and
// rounded once, sums and products of integers wrap. The shape rule accepts every numeric type.
//
// f32 is computed by package conv, with a dense matrix product for all outputs that are a multiple
// of strides apart. It applies stages. Integers are computed by package integerconv. The other
// types are computed with package window: rows of data, multiplied by an element of the filter, are
// added to rows of the output.
//
// Attributes: strides, dilations, pads_begin, pads_end and auto_pad as for a convolution, and
// output_padding, 0 if missing. If output_shape is given, same_upper and same_lower choose the
// padding that gives this shape; same_upper puts an odd element in front, same_lower at the end.
// Without output_shape, they do not pad.
//
// Errors: data and filters have different numbers of channels, or output_shape has a wrong number
// of elements or a negative one.
//
// QuantizedConvolutionBackpropData-vinoir, which only passes insert, spreads numbers of levels, as
// Quantize-vinoir returns them, less the level of 0, by filters of 8 bits:
//
//	output[n,o,y*strides+k*dilations-pads_begin...] += scale[o] * (data[n,c,y...] - outside) * filters[c,o,k...]
//
// for all c, y... and k..., after which offset[o] is added. The sums are exact; outside is an
// attribute, 0 to 255, and the filters of an output channel have 1 to 65792 elements. Inputs: data,
// u8; filters, i8, with groups if the attribute grouped is set; scale and offset, f32 with an
// element for each output channel; output_shape, optionally. Output: f32.
//
// Specification: OpenVINO operation set, convolution, ConvolutionBackpropData-1 and
// GroupConvolutionBackpropData-1.
package convolutionbackpropdata

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/integerconv"
	"github.com/vinoir/vinoir/ops/internal/widened"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "ConvolutionBackpropData", Version: 1,
		Inputs:     ops.Between(2, 3),
		Types:      integerconv.AllTypes,
		Attributes: parse,
		Values:     []int{2},
		Infer:      infer,
		Prepare:    widened.PrepareConstants(widened.Halves, prepare, 0, 1),
		Fusion:     ops.Fusion{Applies: true},
		Traits:     ops.Traits{Linear: &ops.Linear{Weights: 1, In: 0, Out: 1, Transposed: true, Integers: "QuantizedConvolutionBackpropData"}},
	},
	{
		Type: "GroupConvolutionBackpropData", Version: 1,
		Inputs:     ops.Between(2, 3),
		Types:      integerconv.AllTypes,
		Attributes: parse,
		Values:     []int{2},
		Infer:      inferGroups,
		Prepare:    widened.PrepareConstants(widened.Halves, prepare, 0, 1),
		Fusion:     ops.Fusion{Applies: true},
		Traits:     ops.Traits{Linear: &ops.Linear{Weights: 1, In: 1, Out: 2, Grouped: true, Transposed: true, Integers: "QuantizedConvolutionBackpropData"}},
	},
	{
		Type: "QuantizedConvolutionBackpropData", Namespace: "vinoir",
		Inputs:     ops.Between(4, 5),
		Types:      []ir.ElementType{ir.U8},
		Attributes: window.ParseQuantized(parse),
		Values:     []int{1, 2, 3, 4},
		Infer:      window.InferQuantized(infer, inferGroups),
		Prepare:    window.PrepareQuantized(quantizedGeometry),
		Fusion:     ops.Fusion{Applies: true, Stores: true},
	},
}

type attributes struct {
	window.Attributes
	outputPadding []int64
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("dilations")
	at := &attributes{Attributes: window.Parse(a), outputPadding: window.Shifts(a, "output_padding")}
	at.Dilations = window.Sizes(a, "dilations")
	return at, a.Err()
}
