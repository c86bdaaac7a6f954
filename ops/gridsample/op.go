// Package gridsample infers GridSample, which reads an image at the positions that a grid gives.
//
//	output[n,c,y,x] = data[n,c] at row grid[n,y,x,1] and column grid[n,y,x,0]
//
// The positions -1 and 1 are the edges of the image.
//
// Versions: GridSample-9.
//
// Inputs: data [N,C,H,W] of any element type, and grid [N,OH,OW,2] of a floating-point type.
//
// Output: [N,C,OH,OW] of the type of data.
//
// Attributes:
//   - align_corners, false by default: -1 and 1 are the centres of the outermost elements instead.
//   - mode: bilinear (the default), bicubic or nearest.
//   - padding_mode, which gives the elements beyond the edges: zeros (the default), border or
//     reflection.
//
// Errors: data or grid of a rank other than 4, batches that differ, and a grid without two
// coordinates.
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
