// Package gridsample infers GridSample, which reads an image at the places that a
// grid holds.
//
//	output[n,c,y,x] = data at row grid[n,y,x,1] and column grid[n,y,x,0] of data[n,c]
//
// where -1 and 1 are the edges of the image. Versions: GridSample-9. Inputs: data
// [N,C,H,W] of any type, grid [N,OH,OW,2] of a floating-point type. Output:
// [N,C,OH,OW]. Attributes: align_corners, false where it is missing: -1 and 1 are
// the middle of the outmost elements; mode bilinear, where it is missing, bicubic
// or nearest; padding_mode, what lies beyond the edges: zeros, where it is missing,
// border or reflection. Errors: data and grid of another rank or of different
// batches, a grid without two coordinates.
//
// Specification: OpenVINO operation set, image processing, GridSample-9.
package gridsample

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "GridSample", Version: 9,
	Inputs:     ops.Exactly(2),
	Attributes: parse,
	Infer:      infer,
}}

type attributes struct {
	alignCorners      bool
	mode, paddingMode string
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{
		alignCorners: a.Bool("align_corners", false),
		mode:         a.Enum("mode", "bilinear", "bilinear", "bicubic", "nearest"),
		paddingMode:  a.Enum("padding_mode", "zeros", "zeros", "border", "reflection"),
	}, a.Err()
}
