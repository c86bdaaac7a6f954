// Package squeeze removes axes of length 1 from a shape.
//
//	output[i] = data[i], i in row-major order
//
// Versions: Squeeze-1 and Squeeze-15. Inputs: data, of any element type and shape; axes, a scalar
// or vector of integers; negative axes count from the back. A listed axis stays if its length is
// not 1. A listed axis of dynamic length is removed if that can be 1; if the attribute
// allow_axis_skip of Squeeze-15 is set, the shape is unknown then. Without axes, all axes of length
// 1 are removed.
//
// Specification: OpenVINO operation set, shape, Squeeze-1 and Squeeze-15.
package squeeze

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	squeeze(1, func(*ir.Attributes) (any, error) { return attributes{version: 1}, nil }),
	squeeze(15, parse),
}

func squeeze(version int, parse func(*ir.Attributes) (any, error)) ops.Op {
	return ops.Op{
		Type: "Squeeze", Version: version,
		Inputs:     ops.Between(1, 2),
		Attributes: parse,
		Values:     []int{1},
		Infer:      infer,
		Bounds:     bounds,
		Memory:     ops.Memory{View: true},
		Traits:     ops.Traits{Moves: true, Deferrable: true},
		Prepare:    ops.PrepareView,
	}
}

type attributes struct {
	version       int
	allowAxisSkip bool
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{15, a.Bool("allow_axis_skip", false)}, a.Err()
}
