// Package gatherelements selects elements of data. Each index gives the position along one
// axis; the other coordinates are those of the index itself:
//
//	output[i, j, k] = data[indices[i, j, k], j, k]   axis = 0
//	output[i, j, k] = data[i, indices[i, j, k], k]   axis = 1
//	output[i, j, k] = data[i, j, indices[i, j, k]]   axis = 2
//
// Versions: GatherElements-6. Attribute: axis; a negative axis counts from the last one.
// Inputs: data of type T and indices of type T_IND, of the same rank, which is at least 1, and
// with the same lengths except along axis. Output: type T, the shape of indices. T: every
// element type. T_IND: i32, i64.
//
// If axis has length d, an index must be in [-d,d-1]; negative indices count from the end. Any
// other index is an ops.IndexError, also if OpenVINO reads beyond an empty axis or truncates a
// 64-bit index. If there are no indices, the output is empty.
//
// [ONNX] and [TorchGather] compute the same on slices, by the rules of ONNX GatherElements-11
// and -13 and of torch.gather.
//
// Specification: OpenVINO operation set, movement, GatherElements-6.
package gatherelements

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops lists the layer types of this family.
var Ops = []ops.Op{{
	Type: "GatherElements", Version: 6,
	Inputs:     ops.Exactly(2),
	Attributes: parse,
	Infer:      infer,
	Prepare:    prepare,
	Traits:     ops.Traits{Moves: true},
}}

type attributes struct {
	axis int64 // negative numbers count from the last axis
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("axis")
	return attributes{axis: a.Int("axis", 0)}, a.Err()
}
