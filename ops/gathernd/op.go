// Package gathernd takes slices of data that tuples of indices name.
//
//	output[p, t] = data[p, indices[p, t, :]]
//
// for every tuple along the last axis of indices, where p stands for the batch_dims
// axes that data and indices share. Versions: GatherND-5 and GatherND-8, which differ
// in the shape of the output alone: with batch_dims above 1, GatherND-5 makes one axis
// of the batch. Inputs: data, of any element type T and of rank 1 or more; indices,
// of an integer type and of rank 1 or more, whose last length k is at most the rank
// of data less batch_dims. batch_dims is less than both ranks. Output: T, of shape
//
//	batch + indices.shape[batch_dims:-1] + data.shape[batch_dims+k:]
//
// With d the length of its axis, every index of a tuple is within [-d,d-1], and a
// negative one counts from the back; any other is an ops.IndexError, where OpenVINO
// reads other memory. A tuple of no indices names the whole of its batch.
//
// [Gather] and [GatherInto] compute the same on slices, by the rules of OpenVINO or
// of ONNX GatherND.
//
// Specification: OpenVINO operation set, movement, GatherND-5 and GatherND-8.
package gathernd

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
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
	}
}

// The input ports.
const (
	dataPort = iota
	indicesPort
)

type attributes struct {
	batchDims int64
	flat      bool // the batch is one axis of the output
}
