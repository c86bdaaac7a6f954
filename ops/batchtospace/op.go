// Package batchtospace moves items of the batch into blocks of space, and crops
// them.
//
//	output[n, y*b1 + v - p1, x*b2 + u - p2] = data[(v*b2 + u)*N + n, y, x]
//
// for data with two axes behind the batch, where b is block_shape, p is crops_begin,
// v counts from 0 to b1-1, u from 0 to b2-1, and the output has N items; what falls
// outside of the output is cropped. Any number of axes, at least one, goes by the same
// rule. Versions: BatchToSpace-2. Inputs: data of any element type and at least two
// axes; block_shape, crops_begin and crops_end of one type of integers, vectors with
// an element for each axis of data, of which block_shape[0] is 1 and the first crops
// are 0. Elements of block_shape are at least 1, those of the crops not below 0.
// Output: the type of data, of shape
//
//	[N0 / (b0*b1*...*bK), D1*b1 - crops_begin[1] - crops_end[1], ...]
//
// Errors: a batch that is no multiple of the product of block_shape, crops beyond an
// axis.
//
// Specification: OpenVINO operation set, movement, BatchToSpace-2.
package batchtospace

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "BatchToSpace", Version: 2,
	Inputs: ops.Exactly(4),
	Values: []int{1, 2, 3},
	Infer:  infer,
	Bounds: bounds,
}}
