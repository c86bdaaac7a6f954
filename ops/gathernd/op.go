// Package gathernd selects the slices of data that tuples of indices refer to:
//
//	output[p, t] = data[p, indices[p, t, :]]
//
// for each tuple along the last axis of indices, where p are the positions along the batch_dims
// axes that data and indices share.
//
// Versions: GatherND-5 and GatherND-8. They only differ in the shape of the output: if
// batch_dims is greater than 1, GatherND-5 merges the batch axes into one. Inputs: data, of any
// element type T and rank 1 or more; indices, of an integer type and rank 1 or more. The last
// axis of indices has length k, at most the rank of data minus batch_dims. batch_dims must be
// less than both ranks. Output: T, of shape
//
//	batch + indices.shape[batch_dims:-1] + data.shape[batch_dims+k:]
//
// For an axis of length d, an index must be in [-d,d-1]; negative indices count from the end.
// Any other index is an ops.IndexError; OpenVINO reads other memory then. A tuple of no indices
// selects all elements of its batch.
//
// [Gather] and [GatherInto] compute the same on slices, by the rules of OpenVINO or of ONNX
// GatherND.
//
// Specification: OpenVINO operation set, movement, GatherND-5 and GatherND-8.
package gathernd

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops lists the layer types of this family.
var Ops = []ops.Op{gather(5), gather(8)}

func gather(version int) ops.Op {
	return ops.Op{
		Type: "GatherND", Version: version,
		Inputs: ops.Exactly(2),
		Attributes: func(a *ir.Attributes) (any, error) {
			return attributes{batchDims: a.Int("batch_dims", 0), flat: version == 5}, a.Err()
		},
		Infer:   infer,
		Prepare: prepare,
		Traits:  ops.Traits{Moves: true},
	}
}

// The indices of the inputs.
const (
	dataPort = iota
	indicesPort
)

type attributes struct {
	batchDims int64
	flat      bool // the batch axes are merged into one axis of the output
}
