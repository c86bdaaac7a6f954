// Package colorconvert computes the conversions between images in RGB or BGR and images in NV12 or
// I420. The latter have a plane of luma Y, and chroma U and V at half the height and width.
//
//	R = 1.164*(Y-16)               + 1.596*(V-128)
//	G = 1.164*(Y-16) - 0.391*(U-128) - 0.813*(V-128)
//	B = 1.164*(Y-16) + 2.018*(U-128)
//
//	Y = 0.257*R + 0.504*G + 0.098*B + 16
//	U = -0.148*R - 0.291*G + 0.439*B + 128
//	V = 0.439*R - 0.368*G - 0.071*B + 128
//
// U and V are the means of two by two pixels. Each result is clamped to 0 to 255; NaN becomes 0.
// Results of type u8 are computed in float32 and rounded to the nearest integer, ties to even.
// Other types are not rounded to integers; f16 and bf16 are computed in float32.
//
// An image in RGB or BGR has shape [N,H,W,3] with even H and W. In NV12 and I420 it has shape
// [N,H*3/2,W,1] if all planes are in one tensor: the rows of Y, then the rows of U and V. With a
// tensor for each plane, Y is [N,H,W,1]. NV12 has one further plane UV [N,H/2,W/2,2], I420 has two,
// U and V [N,H/2,W/2,1].
//
// Versions:
//   - NV12toRGB-8 and NV12toBGR-8, with one or two inputs.
//   - I420toRGB-8 and I420toBGR-8, with one or three inputs.
//   - RGBtoNV12-17 and BGRtoNV12-17, with one output if the attribute single_plane is true, its
//     default, and two outputs otherwise.
//
// Element types: u8 and the floating-point types. RGBtoNV12 and BGRtoNV12 accept only u8, f16,
// bf16, f32 and f64.
//
// OpenVINO's CPU plugin has no kernel for RGBtoNV12 and BGRtoNV12. U and V are computed here from
// the mean of each channel.
//
// Errors: an image of odd height or width, and planes that do not belong to one image.
//
// Specification: OpenVINO operation set, image processing.
package colorconvert

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	toPlanes("BGRtoNV12", true),
	fromPlanes("I420toBGR", 3, true),
	fromPlanes("I420toRGB", 3, false),
	fromPlanes("NV12toBGR", 2, true),
	fromPlanes("NV12toRGB", 2, false),
	toPlanes("RGBtoNV12", false),
}

func fromPlanes(name string, planes int, bgr bool) ops.Op {
	return ops.Op{
		Type: name, Version: 8,
		Inputs: ops.Between(1, planes),
		Types:  []ir.ElementType{ir.U8, ir.F32, ir.F64, ir.F16, ir.BF16},
		Infer:  func(in *ops.Inference) error { return inferImage(in, planes) },

		Prepare: widened.Prepare(widened.Halves, prepare(planes, bgr), 0, 1, 2),
	}
}

func toPlanes(name string, bgr bool) ops.Op {
	return ops.Op{
		Type: name, Version: 17,
		Inputs:     ops.Exactly(1),
		Types:      []ir.ElementType{ir.U8, ir.F32, ir.F64, ir.F16, ir.BF16},
		Attributes: parse,
		Infer:      inferPlanes,

		Prepare: preparePlanes(bgr),
	}
}

type attributes struct {
	singlePlane bool
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{a.Bool("single_plane", true)}, a.Err()
}
