// Package gather takes slices of data along one axis.
//
//	output[p, ..., q, ...] = data[p, ..., indices[p, q], ...]
//
// where p stands for the batch_dims axes that data and indices share, and
// indices[p, q] counts along axis. Versions: Gather-1, Gather-7 (batch_dims) and
// Gather-8 (negative indices). Inputs: data, of any element type T; indices, of an
// integer type; axis, of an integer type, a scalar or a vector of one element,
// negative counting from the back. batch_dims counts from the back of indices where
// it is negative. Output: T, of shape
//
//	data.shape[:axis] + indices.shape[batch_dims:] + data.shape[axis+1:]
//
// An index is never an error. An index that Gather-8 does not allow, outside
// [-d,d-1] for an axis of length d, gives zero, false or "". Gather-1 and Gather-7
// allow 0 to d-1, and everything else gives zero.
//
// [Gather] and [GatherInto] compute the same on slices, by the rules of OpenVINO, of
// ONNX Gather or of torch.index_select; the last two make such an index an error.
//
// Specification: OpenVINO operation set, movement, Gather-1, Gather-7, Gather-8.
package gather

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	gather(1, func(a *ir.Attributes) (any, error) { return attributes{anyTypes: true}, a.Err() }),
	gather(7, func(a *ir.Attributes) (any, error) {
		return attributes{batchDims: a.Int("batch_dims", 0)}, a.Err()
	}),
	gather(8, func(a *ir.Attributes) (any, error) {
		return attributes{batchDims: a.Int("batch_dims", 0), negative: true}, a.Err()
	}),
}

func gather(version int, parse func(*ir.Attributes) (any, error)) ops.Op {
	return ops.Op{
		Type: "Gather", Version: version,
		Inputs:     ops.Exactly(3),
		Attributes: parse,
		Values:     []int{axisPort},
		Memory:     ops.Memory{Unaligned: []int{dataPort}},
		Infer:      infer,
		Bounds:     bounds,
		Prepare:    prepare,
	}
}

// The input ports.
const (
	dataPort = iota
	indicesPort
	axisPort
)

type attributes struct {
	batchDims int64 // negative counts from the back of indices
	negative  bool  // negative indices count from the back of the axis
	strict    bool  // an index that is not allowed is an error
	anyTypes  bool  // the shape rule does not look at the types of indices and axis
}
