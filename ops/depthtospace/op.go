// Package depthtospace moves channels into blocks of space.
//
//	output[n, c, y*b + v, x*b + u] = data[n, k, y, x]
//
// for data with two axes of space, blocks of b*b elements and v, u from 0 to b-1, where
// k is (v*b + u)*C + c in mode blocks_first, and c*b*b + v*b + u in mode depth_first;
// the output has C channels. Any number of axes of space, at least one, goes by the
// same rule. Versions: DepthToSpace-1. Attributes: mode, without a default, and
// block_size, at least 1; where it is missing, the specification has 1, OpenVINO
// refuses the layer. Inputs: data, of any element type. Output: the type of data, of
// shape
//
//	[N, C / block_size^K, D1*block_size, ..., DK*block_size]
//
// for K axes of space. Errors: channels that do not divide into blocks.
//
// Specification: OpenVINO operation set, movement, DepthToSpace-1.
package depthtospace

import (
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/blocks"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "DepthToSpace", Version: 1,
	Inputs:     ops.Exactly(1),
	Attributes: blocks.ParseDepth,
	Infer:      infer,
	Bounds:     bounds,
}}
