// Package spacetodepth moves blocks of space into channels, the inverse of
// depthtospace.
//
//	output[n, k, y, x] = data[n, c, y*b + v, x*b + u]
//
// for data with two axes of space, blocks of b*b elements and v, u from 0 to b-1, where
// k is (v*b + u)*C + c in mode blocks_first, and c*b*b + v*b + u in mode depth_first;
// data has C channels. Any number of axes of space, at least one, goes by the same
// rule. Versions: SpaceToDepth-1. Attributes: mode, without a default, and block_size,
// at least 1; where it is missing, the specification has 1, OpenVINO refuses the layer.
// Inputs: data, of any element type. Output: the type of data, of shape
//
//	[N, C * block_size^K, D1/block_size, ..., DK/block_size]
//
// for K axes of space. Errors: an axis of space that does not divide into blocks.
//
// Specification: OpenVINO operation set, movement, SpaceToDepth-1.
package spacetodepth

import (
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/blocks"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "SpaceToDepth", Version: 1,
	Inputs:     ops.Exactly(1),
	Attributes: blocks.ParseDepth,
	Infer:      infer,
	Bounds:     bounds,
}}
