// Package gatherelements takes elements from data, each along one axis at the
// place that the index of the same position says.
//
//	output[i, j, k] = data[indices[i, j, k], j, k]   axis = 0
//	output[i, j, k] = data[i, indices[i, j, k], k]   axis = 1
//	output[i, j, k] = data[i, j, indices[i, j, k]]   axis = 2
//
// Versions: GatherElements-6. Attributes: axis, negative counts from the back.
// Inputs: data of type T and indices of type T_IND, of one rank r >= 1 and equal
// lengths but for axis. Output: type T, the shape of indices. T: every element
// type. T_IND: i32, i64.
//
// With d the length of data along axis, an index is within [-d,d-1], and a negative
// one counts from the back; any other is an ops.IndexError, also where OpenVINO
// reads beyond an empty axis or narrows a 64-bit index. Without indices the output
// is empty.
//
// [ONNX] and [TorchGather] compute the same on slices, by the rules of ONNX
// GatherElements-11 and -13 and of torch.gather, without a model.
//
// Specification: OpenVINO operation set, movement, GatherElements-6.
package gatherelements

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "GatherElements", Version: 6,
	Inputs:     ops.Exactly(2),
	Attributes: parse,
	Infer:      infer,
	Prepare:    prepare,
}}

type attributes struct {
	axis int64 // negative counts from the back
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("axis")
	return attributes{axis: a.Int("axis", 0)}, a.Err()
}
