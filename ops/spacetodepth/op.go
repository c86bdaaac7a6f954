// Package spacetodepth moves blocks of space into channels. It is the inverse of DepthToSpace. For
// data with two spatial axes and blocks of b*b elements:
//
//	output[n, k, y, x] = data[n, c, y*b + v, x*b + u]
//
//	k = (v*b + u)*C + c         in mode blocks_first
//	k = c*b*b + v*b + u         in mode depth_first
//
// v and u count from 0 to b-1, and C is the number of channels of data. The formula extends to any
// number of spatial axes, at least one.
//
// Versions: SpaceToDepth-1.
//
// Input: data of any element type.
//
// Output: the type of data, with shape
//
//	[N, C * block_size^K, D1/block_size, ..., DK/block_size]
//
// for K spatial axes.
//
// Attributes: mode, blocks_first or depth_first, without a default in the specification;
// block_size, at least 1. Like OpenVINO, this package refuses a layer without block_size, although
// the specification has the default 1.
//
// Errors: a spatial axis whose length is not a multiple of block_size.
//
// Specification: OpenVINO operation set, movement, SpaceToDepth-1.
package spacetodepth

import (
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/spaceblock"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "SpaceToDepth", Version: 1,
	Inputs:     ops.Exactly(1),
	Attributes: spaceblock.ParseDepthAttributes,
	Infer:      infer,
	Prepare:    prepare,
	Bounds:     inferBounds,
	Traits:     ops.Traits{Moves: true},
}}
