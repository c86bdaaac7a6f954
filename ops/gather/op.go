// Package gather selects slices of data along one axis:
//
//	output[p, ..., q, ...] = data[p, ..., indices[p, q], ...]
//
// where p are the positions along the batch_dims axes that data and indices share, and
// indices[p, q] is a position along axis.
//
// Versions: Gather-1, Gather-7, which adds batch_dims, and Gather-8, which adds negative
// indices. Inputs: data, of any element type T; indices, of an integer type; axis, a scalar or
// a vector of one element, of an integer type. A negative axis counts from the last axis. A
// negative batch_dims counts from the last axis of indices. Output: T, of shape
//
//	data.shape[:axis] + indices.shape[batch_dims:] + data.shape[axis+1:]
//
// An index is never an error. For an axis of length d, Gather-8 accepts the indices from -d to
// d-1, and Gather-1 and Gather-7 those from 0 to d-1. Any other index yields zero, false or "".
//
// [Gather] and [GatherInto] compute the same on slices, by the rules of OpenVINO, of ONNX
// Gather or of torch.index_select. For the last two, an index that is out of range is an error.
//
// Specification: OpenVINO operation set, movement, Gather-1, Gather-7, Gather-8.
package gather

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/gatherscatter"
)

// Ops lists the layer types of this family.
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
		PortTypes:  []ops.PortTypes{{Port: indicesPort, Types: gatherscatter.IndexTypes}},
		Values:     []int{axisPort},
		Memory:     ops.Memory{Unaligned: []int{dataPort}},
		Infer:      infer,
		Bounds:     bounds,
		Prepare:    prepare,
	}
}

// The indices of the inputs.
const (
	dataPort = iota
	indicesPort
	axisPort
)

type attributes struct {
	batchDims int64 // negative numbers count from the last axis of indices
	negative  bool  // negative indices count from the end of the axis
	strict    bool  // an index that is out of range is an error
	anyTypes  bool  // the shape rule ignores the types of indices and axis
}
