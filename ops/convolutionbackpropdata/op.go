// Package convolutionbackpropdata computes the transposed convolutions, which spread
// each element of data over a window of the output, in one, two and three
// dimensions.
//
//	output[n,o,y*strides+k*dilations-pads_begin...] += data[n,c,y...] * filters[c,o,k...]
//
// over all c, y... and k.... GroupConvolutionBackpropData does so for each group g,
// with channels g*C+c of data, filters[g,c,o,k...] and channels g*O+o of the
// output. Versions: ConvolutionBackpropData-1, GroupConvolutionBackpropData-1.
//
// Inputs: data [N,C,spatial...] of rank 3 to 5, filters [C,O,kernel...] or
// [G,C,O,kernel...], of one type T, and optionally output_shape, integers
// that are the lengths of the spatial axes of the output. Without it these are
//
//	strides*(data-1) + dilations*(kernel-1) + 1 - pads_begin - pads_end + output_padding
//
// Elements of the output that none of data falls on are 0. T: f32, f64, f16, bf16;
// the 16-bit types are computed in float32 and rounded once. Shapes are inferred for
// every type of numbers.
//
// Float32 is computed by package conv, one dense product of matrices for the outputs
// that are strides apart, and applies stages. For the other types, rows of data, times
// an element of the filter, are added to rows of the output, as package window does.
//
// Attributes: strides, dilations, pads_begin, pads_end and auto_pad as for a
// convolution, where same_upper and same_lower choose the padding that gives
// output_shape, the odd one of it in front for same_upper, and are none without it;
// output_padding, 0 where it is missing.
//
// Errors: channels of data that are not those of filters, an output_shape of
// another number of axes or with a negative length.
//
// Specification: OpenVINO operation set, convolution, ConvolutionBackpropData-1 and
// GroupConvolutionBackpropData-1.
package convolutionbackpropdata

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "ConvolutionBackpropData", Version: 1,
		Inputs:     ops.Between(2, 3),
		Types:      floats.Types,
		Attributes: parse,
		Values:     []int{2},
		Infer:      infer,
		Prepare:    prepare,
		Fusion:     ops.Fusion{Applies: true},
	},
	{
		Type: "GroupConvolutionBackpropData", Version: 1,
		Inputs:     ops.Between(2, 3),
		Types:      floats.Types,
		Attributes: parse,
		Values:     []int{2},
		Infer:      inferGroups,
		Prepare:    prepare,
		Fusion:     ops.Fusion{Applies: true},
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
