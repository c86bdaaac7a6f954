// Package batchtospace moves items of the batch into blocks of space and crops the result. For data
// with two spatial axes:
//
//	output[n, y*b1 + v - p1, x*b2 + u - p2] = data[(v*b2 + u)*N + n, y, x]
//
// b is block_shape, p is crops_begin, v counts from 0 to b1-1, u counts from 0 to b2-1, and N is
// the batch of the output. Elements outside of the output are cropped. The formula extends to any
// number of spatial axes, at least one.
//
// Versions: BatchToSpace-2.
//
// Inputs:
//   - data: any element type, rank 2 or more.
//   - block_shape: a vector with one element for each axis of data, each at least 1. block_shape[0]
//     is 1.
//   - crops_begin, crops_end: vectors of the length of block_shape. No element is negative, and the
//     first is 0.
//
// block_shape, crops_begin and crops_end have one integer type.
//
// Output: the type of data, with shape
//
//	[N0 / (b0*b1*...*bK), D1*b1 - crops_begin[1] - crops_end[1], ...]
//
// Errors: a batch that is not a multiple of the product of block_shape, and crops that are longer
// than their axis. When the layer runs, also another block_shape[0] than 1 and other crops of the
// batch than 0: OpenVINO does not refuse them, but its results depend on how it computes the layer.
//
// Specification: OpenVINO operation set, movement, BatchToSpace-2.
package batchtospace

import (
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/spaceblock"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "BatchToSpace", Version: 2,
	Inputs:  ops.Exactly(4),
	Values:  []int{1, 2, 3},
	Infer:   infer,
	Prepare: spaceblock.ToSpace,
	Bounds:  inferBounds,
	Traits:  ops.Traits{Moves: true},
}}
