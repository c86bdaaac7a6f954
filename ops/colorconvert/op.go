// Package colorconvert converts images between RGB and planes of brightness Y and
// colour U, V that are half as high and wide.
//
//	R = 1.164*(Y-16)               + 1.596*(V-128)
//	G = 1.164*(Y-16) - 0.391*(U-128) - 0.813*(V-128)
//	B = 1.164*(Y-16) + 2.018*(U-128)
//
//	Y = 0.257*R + 0.504*G + 0.098*B + 16
//	U = -0.148*R - 0.291*G + 0.439*B + 128
//	V = 0.439*R - 0.368*G - 0.071*B + 128
//
// each rounded and cut to 0 to 255; U and V are the means of two by two pixels.
// Images are [N,H,W,3] with even H and W. In one plane a picture is [N,H*3/2,W,1]: the
// rows of Y, then those of the colours. In several, Y is [N,H,W,1], and the colours
// are [N,H/2,W/2,2] of NV12, or two of [N,H/2,W/2,1] of I420.
//
// Versions: NV12toRGB-8 and NV12toBGR-8 of one or two inputs, I420toRGB-8 and
// I420toBGR-8 of one or three; RGBtoNV12-17 and BGRtoNV12-17, of one output, or of two
// where attribute single_plane, by default true, is false. T: u8 and the floating-point
// types; for the latter two f16, bf16, f32 and f64 alone. Errors: an image of odd
// height or width, and planes that are not of one image.
//
// Specification: OpenVINO operation set, image processing.
package colorconvert

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	toPlanes("BGRtoNV12"),
	fromPlanes("I420toBGR", 3),
	fromPlanes("I420toRGB", 3),
	fromPlanes("NV12toBGR", 2),
	fromPlanes("NV12toRGB", 2),
	toPlanes("RGBtoNV12"),
}

func fromPlanes(name string, planes int) ops.Op {
	return ops.Op{
		Type: name, Version: 8,
		Inputs: ops.Between(1, planes),
		Infer:  func(in *ops.Inference) error { return inferImage(in, planes) },
	}
}

func toPlanes(name string) ops.Op {
	return ops.Op{
		Type: name, Version: 17,
		Inputs:     ops.Exactly(1),
		Attributes: parse,
		Infer:      inferPlanes,
	}
}

type attributes struct {
	singlePlane bool
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{a.Bool("single_plane", true)}, a.Err()
}
