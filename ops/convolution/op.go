// Package convolution computes Convolution and GroupConvolution in one, two and
// three dimensions.
//
//	Convolution      output[n,o,y...] = sum over c, k... of data[n,c,y*strides+k*dilations-pads_begin...] * filters[o,c,k...]
//	GroupConvolution output[n,g*O+o,y...] = the same of channels g*C+c of data and filters[g,o,c,k...]
//
// where elements of data outside of it are 0. Versions: Convolution-1,
// GroupConvolution-1. Inputs: data [N,C,spatial...] of rank 3 to 5 and filters
// [O,C,kernel...], for groups data [N,G*C,spatial...] and filters
// [G,O,C,kernel...], of one type T. Output: [N,O,spatial...], for groups
// [N,G*O,spatial...]. T: f32, f64, f16, bf16; the 16-bit types are computed in
// float32 and rounded once. Shapes are inferred for every type of numbers.
//
// Float32 is computed by package conv: groups of one channel plane by plane, windows of
// 3 by 3 by Winograd's minimal filtering where that pays, windows that are whole images
// as products of rows, and all others as an implicit product of matrices, in which an
// element outside of data counts as 0 times the filter's. These kernels apply stages.
// The other types are computed directly: rows of data, times an element of the filter,
// are added to rows of the output, as package window does.
//
// Attributes: strides and dilations, 1 where they are missing, pads_begin and
// pads_end, 0 where they are missing, and auto_pad: explicit; same_upper and
// same_lower, which pad so that the output is the input's length divided by the
// stride, rounded up; valid, which does not pad.
//
// Errors: channels of data that are not those of filters, a window that is longer
// than the padded input.
//
// Specification: OpenVINO operation set, convolution, Convolution-1 and
// GroupConvolution-1.
package convolution

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "Convolution", Version: 1,
		Inputs:     ops.Exactly(2),
		Types:      floats.Types,
		Attributes: parse,
		Infer:      infer,
		Prepare:    prepare,
		Fusion:     ops.Fusion{Applies: true},
	},
	{
		Type: "GroupConvolution", Version: 1,
		Inputs:     ops.Exactly(2),
		Types:      floats.Types,
		Attributes: parse,
		Infer:      inferGroups,
		Prepare:    prepare,
		Fusion:     ops.Fusion{Applies: true},
	},
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("dilations")
	w := window.Parse(a)
	w.Dilations = window.Sizes(a, "dilations")
	return &w, a.Err()
}
