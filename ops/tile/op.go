// Package tile repeats a tensor along its axes.
//
//	output[..., i_k, ...] = data[..., i_k mod data.shape[k], ...]
//
// where output.shape[k] = data.shape[k] * repeats[k]. Versions: Tile-1. Inputs:
// data, of any element type and shape; repeats, a vector of integers. The one of
// data's shape and repeats that is shorter is filled up with ones at its front.
// Negative repeats count as 0 where their tensor is at hand; where they are only
// inferred they are errors.
//
// Specification: OpenVINO operation set, movement, Tile-1.
package tile

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Tile", Version: 1,
	Inputs:  ops.Exactly(2),
	Values:  []int{1},
	Infer:   infer,
	Bounds:  bounds,
	Prepare: prepare,
}}
