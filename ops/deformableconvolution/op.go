// Package deformableconvolution computes DeformableConvolution, a convolution in which offsets, a
// second input, move the places that the kernel elements read.
//
//	output[n,o,y] = sum over c, k of mask[n,g*K+k,y] * data[n,c,y*strides+k*dilations-pads_begin+offsets[n,g*2K+2k:,y]] * filters[o,c,k]
//
// y and k are positions in two dimensions, K is the number of kernel elements, and g is the
// deformable group of channel c. data is interpolated bilinearly.
//
// Versions: DeformableConvolution-1; DeformableConvolution-8, which adds mask and
// bilinear_interpolation_pad.
//
// Inputs:
//   - data [N,C,H,W].
//   - offsets [N,deformable_group*KH*KW*2,OH,OW].
//   - filters [O,C/group,KH,KW].
//   - mask [N,deformable_group*KH*KW,OH,OW], optional.
//
// data, offsets and filters have one numeric type. mask may have another. The kernel computes f32,
// f64, f16, bf16 and integers of 8 to 64 bits. The 16-bit types are computed in float32 and rounded
// once. So are integers, as in OpenVINO: to the nearest, halves to even, within the limits of the
// type.
//
// Output: [N,O,OH,OW] of that type.
//
// Attributes: strides, dilations, pads_begin, pads_end and auto_pad as for a convolution; group and
// deformable_group, which OpenVINO requires although the specification does not;
// bilinear_interpolation_pad, false by default.
//
// A sample is 0 if its position is not in the image: if it is before element 0 or at the length of
// an axis or beyond, as in OpenVINO. After the last element, the sample is that of the last
// element. With bilinear_interpolation_pad, the image is surrounded by zeros, and only positions at
// -1 or before are not in it. A position that is NaN is not in the image.
//
// Errors: channels of data, filters, offsets or mask that do not agree with each other or with the
// groups, and offsets or mask whose batch or spatial lengths differ from those of the output. The
// kernel also requires that deformable_group divides the channels of data.
//
// Specification: OpenVINO operation set, convolution, DeformableConvolution-1 and -8.
package deformableconvolution

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/sampling"
	"github.com/vinoir/vinoir/ops/internal/widened"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "DeformableConvolution", Version: 1,
		Inputs:     ops.Exactly(3),
		Types:      sampling.Numbers,
		Attributes: func(a *ir.Attributes) (any, error) { return parse(a, 1) },
		Infer:      infer,
		Prepare:    widened.Prepare(integers, prepare, 0, 1, 2, 3),
		Traits:     ops.Traits{Linear: &ops.Linear{Weights: 2, In: 1, Out: 0}},
	},
	{
		Type: "DeformableConvolution", Version: 8,
		Inputs:     ops.Between(3, 4),
		Types:      sampling.Numbers,
		PortTypes:  []ops.PortTypes{{Port: 3, Types: sampling.Numbers}},
		Attributes: func(a *ir.Attributes) (any, error) { return parse(a, 8) },
		Infer:      infer,
		Prepare:    widened.Prepare(integers, prepare, 0, 1, 2, 3),
		Traits:     ops.Traits{Linear: &ops.Linear{Weights: 2, In: 1, Out: 0}},
	},
}

// integers are the conversions of the types that are computed as f32.
var integers = widened.Rounded[len(widened.Halves):]

type attributes struct {
	window.Attributes
	group, deformableGroup   int64
	bilinearInterpolationPad bool
}

func parse(a *ir.Attributes, version int) (any, error) {
	a.Expect("dilations")
	// If a group is missing, OpenVINO takes 0, and then refuses it.
	at := &attributes{
		Attributes: window.Parse(a),
		group:      a.Int("group", 0), deformableGroup: a.Int("deformable_group", 0),
	}
	at.Dilations = window.Sizes(a, "dilations")
	for _, g := range []struct {
		name   string
		groups int64
	}{{"group", at.group}, {"deformable_group", at.deformableGroup}} {
		if g.groups < 1 {
			a.Fail(g.name, "%d is less than 1", g.groups)
		}
	}
	if version >= 8 {
		at.bilinearInterpolationPad = a.Bool("bilinear_interpolation_pad", false)
	}
	return at, a.Err()
}
