// Package tile repeats a tensor along its axes.
//
//	output[..., i_k, ...] = data[..., i_k mod data.shape[k], ...]
//
// Here output.shape[k] = data.shape[k] * repeats[k]. Versions: Tile-1. Inputs: data, of any element
// type and shape; repeats, a vector of integers. The shorter one of data's shape and repeats is
// extended with ones at the front. Negative repeats count as 0 if the tensor repeats is known. If
// only bounds of its elements are known, negative repeats are errors.
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
	Traits:  ops.Traits{Moves: true},
}}
