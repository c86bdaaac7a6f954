// Package spacetobatch pads spatial axes, and moves blocks of them into the batch. It is the
// inverse of BatchToSpace. For data with N items and two spatial axes:
//
//	output[(v*b2 + u)*N + n, y, x] = padded[n, y*b1 + v, x*b2 + u]
//
// padded is data with pads_begin zeros, or empty strings, before and pads_end after the elements of
// each axis. b is block_shape, v counts from 0 to b1-1, and u counts from 0 to b2-1. The formula
// extends to any number of spatial axes, at least one.
//
// Versions: SpaceToBatch-2.
//
// Inputs:
//   - data: any element type, rank 2 or more.
//   - block_shape: a vector of an integer type with one element for each axis of data, each at
//     least 1. block_shape[0] is 1.
//   - pads_begin, pads_end: vectors of integer types, of the length of block_shape. The first
//     element is 0.
//
// Output: the type of data, with shape
//
//	[N * (b0*b1*...*bK), (D1 + pads_begin[1] + pads_end[1]) / b1, ...]
//
// Errors: a padded axis whose length is not a multiple of its block, and, when the layer runs,
// negative pads, another block_shape[0] than 1, and other pads of the batch than 0: OpenVINO does
// not refuse all of them, but its results depend on how it computes the layer.
//
// Specification: OpenVINO operation set, movement, SpaceToBatch-2.
package spacetobatch

import (
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/spaceblock"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "SpaceToBatch", Version: 2,
	Inputs:  ops.Exactly(4),
	Values:  []int{1, 2, 3},
	Infer:   infer,
	Prepare: spaceblock.ToBatch,
	Bounds:  inferBounds,
}}
