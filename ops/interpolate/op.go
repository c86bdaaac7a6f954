// Package interpolate computes Interpolate, which resizes an image along some axes.
//
// Versions: Interpolate-1, with the inputs image and output_shape and the axes as an attribute;
// Interpolate-4, with the inputs image, sizes, scales and optionally axes; Interpolate-11, with
// the inputs image, sizes or scales, and optionally axes. If the input axes is missing, all
// axes are resized. Output: image, padded by pads_begin and pads_end, with axis axes[i] resized
// to the length
//
//	sizes[i]                               if shape_calculation_mode is sizes, and in version 1
//	floor(length * (scales[i] + 0.000001)) if shape_calculation_mode is scales
//
// computed in float32. A scale of 1 keeps the length. An axis that axes contains twice is
// resized twice.
//
// Element y of the output is computed from elements of the padded image around position x:
//
//	half_pixel            x = (y+0.5)/scale - 0.5
//	pytorch_half_pixel    the same, but 0 if the output has one element
//	asymmetric            x = y/scale
//	tf_half_pixel_for_nn  x = (y+0.5)/scale
//	align_corners         x = y*(length-1)/(output length-1)
//
// x is computed in float32, and x = y if the length does not change. scale is the element of
// the input scales, or the quotient of the lengths. Along each axis, these elements are used:
//
//	nearest          the element that x is rounded to by nearest_mode
//	linear           elements less than 1 from x, or less than 1/scale if antialias is true and an axis shrinks, with weights that fall with the distance
//	linear_onnx      the two elements around x, after x is clamped to the image
//	cubic            the four elements around x, by cubic convolution with cube_coeff; the edge is repeated outside of the image
//	bilinear_pillow  the elements that Pillow uses; coordinate_transformation_mode is ignored
//	bicubic_pillow   the same
//
// Integers are rounded, with halves to even, and limited to their type. For more than four
// axes, cubic drops the fraction and surplus bits instead, as OpenVINO's reference
// implementation does. The Pillow modes round after each axis. Version 1 is the same as version
// 4 with asymmetric or align_corners and with nearest_mode simple. Its linear is linear_onnx if
// image has fewer than five axes. Its linear without align_corners is half_pixel, unless there
// are pads or the axes are 2 and 3 of four.
//
// Element types: image f32, f16, bf16, f64, i8, u8, i32 or i64, or any type in version 1;
// scales f32, f16 or bf16; sizes and axes i32, i64, u32 or u64; output_shape of version 1 any
// integer type.
//
// Attributes: mode: nearest, linear, linear_onnx, cubic, and from version 11 on bilinear_pillow
// and bicubic_pillow; shape_calculation_mode: sizes or scales; coordinate_transformation_mode,
// by default half_pixel; nearest_mode, by default round_prefer_floor; antialias, by default
// false; pads_begin and pads_end, which are cut or filled with zeros to the rank of image;
// cube_coeff, by default -0.75. The attributes of version 1 are axes, mode, align_corners, by
// default true, antialias, and pads_begin and pads_end, which its shape rule ignores.
//
// Errors: axes that are negative or out of range; fewer sizes or scales than axes; an image
// without elements for an output that has some; a mode of version 1 that no other version has.
//
// Specification: OpenVINO operation set, image processing, Interpolate-1, -4, -11.
package interpolate

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// Ops lists the layer types of this family.
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
	axes                    []int64 // in ascending order, without duplicates
	mode                    string
	alignCorners, antialias bool
	padsBegin, padsEnd      []int64
}

func parse1(a *ir.Attributes) (any, error) {
	a.Expect("axes")
	a.Expect("mode")
	at := &attributes1{
		axes: a.Ints("axes"),
		// OpenVINO accepts any string.
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
