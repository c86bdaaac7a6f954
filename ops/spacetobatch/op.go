// Package spacetobatch pads axes of space, and moves blocks of them into the batch,
// the inverse of batchtospace.
//
//	output[(v*b2 + u)*N + n, y, x] = padded[n, y*b1 + v, x*b2 + u]
//
// for data with N items and two axes behind the batch, where padded is data with
// pads_begin and pads_end elements of 0 before and behind each axis, b is block_shape,
// v counts from 0 to b1-1 and u from 0 to b2-1. Any number of axes, at least one, goes
// by the same rule. Versions: SpaceToBatch-2. Inputs: data of any element type and at
// least two axes; block_shape, pads_begin and pads_end of types of integers, vectors
// with an element for each axis of data, of which block_shape[0] is 1 and the first
// pads are 0. Elements of block_shape are at least 1. Output: the type of data, of
// shape
//
//	[N * (b0*b1*...*bK), (D1 + pads_begin[1] + pads_end[1]) / b1, ...]
//
// Errors: a padded axis that is no multiple of its block.
//
// Specification: OpenVINO operation set, movement, SpaceToBatch-2.
package spacetobatch

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "SpaceToBatch", Version: 2,
	Inputs: ops.Exactly(4),
	Values: []int{1, 2, 3},
	Infer:  infer,
	Bounds: bounds,
}}
