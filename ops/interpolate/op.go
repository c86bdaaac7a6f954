// Package interpolate computes Interpolate, which stretches or shrinks an image
// along some axes.
//
// Versions: Interpolate-1, with inputs image and output_shape and the axes as an
// attribute; Interpolate-4, with inputs image, sizes, scales and optionally axes;
// Interpolate-11, with inputs image, sizes or scales, and optionally axes. Without
// the input axes these are all axes of image. Output: image, padded by pads_begin
// and pads_end, whose axis axes[i] has the length
//
//	sizes[i]                               shape_calculation_mode sizes, and version 1
//	floor(length * (scales[i] + 0.000001)) shape_calculation_mode scales, but for a scale of 1
//
// computed in float32. An axis that axes names twice is stretched twice.
//
// Element y of the output is made of elements of the padded image around
//
//	half_pixel            x = (y+0.5)/scale - 0.5
//	pytorch_half_pixel    the same, and 0 where the output has one element
//	asymmetric            x = y/scale
//	tf_half_pixel_for_nn  x = (y+0.5)/scale
//	align_corners         x = y*(length-1)/(output length-1)
//
// and x = y where the length stays, computed in float32; scale is that of the input,
// or the quotient of the lengths. Along each of the axes
//
//	nearest          the element that x is rounded to by nearest_mode
//	linear           those less than 1 from x, for antialias 1/scale where an axis shrinks, the closer the more
//	linear_onnx      the two around x, after x is moved into the image
//	cubic            the four around x, by the cubic convolution of cube_coeff; the edge stands for what is outside
//	bilinear_pillow  those that Pillow takes, whatever coordinate_transformation_mode
//	bicubic_pillow   likewise
//
// Integers are rounded, halves to even, and limited to their type; cubic for more
// than four axes drops their fractions and surplus bits, as OpenVINO's reference
// implementation does. Pillow's modes round after each axis. Version 1 is as version
// 4 with asymmetric or align_corners, nearest_mode simple, and linear_onnx for linear
// in fewer than five dimensions; linear without align_corners is half_pixel, except
// of axes 2 and 3 of four and where there are pads.
//
// Element types: image of f32, f16, bf16, f64, i8, u8, i32, i64, and of any type in
// version 1; scales of f32, f16, bf16; sizes and axes of i32, i64, u32, u64, and
// output_shape of version 1 of any integers.
//
// Attributes: mode nearest, linear, linear_onnx, cubic, and from version 11 on
// bilinear_pillow, bicubic_pillow; shape_calculation_mode sizes or scales;
// coordinate_transformation_mode, half_pixel where it is missing; nearest_mode,
// round_prefer_floor where it is missing; antialias, false where it is missing;
// pads_begin and pads_end, which are cut or filled up with zeros to the rank of
// image, and which version 1 does not regard; cube_coeff, -0.75 where it is missing.
// Version 1: axes, mode, align_corners, true where it is missing, antialias.
//
// Errors: axes beyond the rank of image, negative ones among them; fewer sizes or
// scales than axes; an output with elements of an image without; a mode of version 1
// that has no other version.
//
// Specification: OpenVINO operation set, image processing, Interpolate-1, -4, -11.
package interpolate

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "Interpolate", Version: 1,
		Inputs:     ops.Exactly(2),
		Attributes: parse1,
		Values:     []int{1},
		Infer:      infer1,
		Fusion:     ops.Fusion{Applies: true},
		Prepare:    prepare1,
	},
	{
		Type: "Interpolate", Version: 4,
		Inputs:     ops.Between(3, 4),
		Attributes: func(a *ir.Attributes) (any, error) { return parse(a, modes) },
		Values:     []int{1, 2, 3},
		Infer:      infer4,
		Fusion:     ops.Fusion{Applies: true},
		Prepare:    prepare4,
	},
	{
		Type: "Interpolate", Version: 11,
		Inputs:     ops.Between(2, 3),
		Attributes: func(a *ir.Attributes) (any, error) { return parse(a, pillowModes) },
		Values:     []int{1, 2},
		Infer:      infer11,
		Fusion:     ops.Fusion{Applies: true},
		Prepare:    prepare11,
	},
}

var (
	modes       = []string{"nearest", "linear", "linear_onnx", "cubic"}
	pillowModes = append(slices.Clip(modes), "bilinear_pillow", "bicubic_pillow")
)

type attributes1 struct {
	axes                    []int64 // in rising order, each once
	mode                    string
	alignCorners, antialias bool
	padsBegin, padsEnd      []int64
}

func parse1(a *ir.Attributes) (any, error) {
	a.Expect("axes")
	a.Expect("mode")
	at := &attributes1{
		axes: a.Ints("axes"),
		// OpenVINO takes any.
		mode:         a.String("mode", ""),
		alignCorners: a.Bool("align_corners", true),
		antialias:    a.Bool("antialias", false),
		padsBegin:    window.Pads(a, "pads_begin"),
		padsEnd:      window.Pads(a, "pads_end"),
	}
	slices.Sort(at.axes)
	at.axes = slices.Compact(at.axes)
	return at, a.Err()
}

type attributes struct {
	mode, coordinates, nearest string
	scales, antialias          bool
	padsBegin, padsEnd         []int64
	cubeCoeff                  float64
}

func parse(a *ir.Attributes, modes []string) (any, error) {
	a.Expect("mode")
	a.Expect("shape_calculation_mode")
	return &attributes{
		mode:   a.Enum("mode", "nearest", modes...),
		scales: a.Enum("shape_calculation_mode", "sizes", "sizes", "scales") == "scales",
		coordinates: a.Enum("coordinate_transformation_mode", "half_pixel",
			"half_pixel", "pytorch_half_pixel", "asymmetric", "tf_half_pixel_for_nn", "align_corners"),
		nearest: a.Enum("nearest_mode", "round_prefer_floor",
			"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple"),
		antialias: a.Bool("antialias", false),
		padsBegin: window.Pads(a, "pads_begin"),
		padsEnd:   window.Pads(a, "pads_end"),
		cubeCoeff: a.Float("cube_coeff", -0.75),
	}, a.Err()
}
