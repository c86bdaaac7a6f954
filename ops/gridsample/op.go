// Package gridsample computes GridSample, which reads an image at the positions that a grid gives.
//
//	output[n,c,y,x] = data[n,c] at row grid[n,y,x,1] and column grid[n,y,x,0]
//
// The coordinates -1 and 1 are the edges of the image: coordinate g of an axis of n elements is at
// position ((g+1)*n - 1) / 2, or (g+1)*(n-1) / 2 with align_corners.
//
// Versions: GridSample-9.
//
// Inputs: data [N,C,H,W] of any element type, and grid [N,OH,OW,2] of a floating-point type.
//
// Output: [N,C,OH,OW] of the type of data.
//
// The kernel computes data of f32, f64, f16, bf16 and of integers of 8 to 64 bits, and grids of
// f32, f64, f16 and bf16. Positions are computed in the type of grid, or in float32 for 16-bit
// types. Samples of f64 and of integers of 32 and 64 bits are computed in float64, others in
// float32. As in OpenVINO, integers of 8 bits are rounded, with halves to even, and wider ones drop
// the fraction; all are limited to their type.
//
// Attributes:
//   - align_corners, false by default: -1 and 1 are the centres of the outermost elements instead.
//   - mode: bilinear (the default), bicubic with the coefficient -0.75, or nearest, where a
//     position in the middle of two elements is the even one.
//   - padding_mode, which gives the elements beyond the edges: zeros (the default), border, the
//     nearest element of the image, or reflection, the image mirrored at its edges, or at the
//     centres of the outermost elements with align_corners.
//
// A coordinate that is not finite gives NaN, or 0 for integers, with bilinear and bicubic. With
// nearest, NaN is beyond the image or, where the padding has elements there, element 0, an infinity
// is far beyond the image, and infinities are element 0 with reflection. An image without elements
// is 0 everywhere.
//
// Errors: data or grid of a rank other than 4, batches that differ, and a grid without two
// coordinates.
//
// Specification: OpenVINO operation set, image processing, GridSample-9.
package gridsample

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/sampling"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "GridSample", Version: 9,
	Inputs:     ops.Exactly(2),
	Types:      sampling.Numbers,
	Attributes: parse,
	Infer:      infer,
	Prepare:    prepare,
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
