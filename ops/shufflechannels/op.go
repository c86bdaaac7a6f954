// Package shufflechannels interleaves groups of channels.
//
//	output[..., c*g + k, ...] = data[..., k*n + c, ...]
//
// k counts from 0 to g-1, c counts from 0 to n-1, axis has g*n elements, and g is group.
//
// Versions: ShuffleChannels-1.
//
// Input: data of any element type and rank 1 or more.
//
// Output: the type and shape of data.
//
// Attributes: axis, 1 by default, which counts from the back if it is negative; group, 1 by
// default, at least 1.
//
// Errors: an axis whose length is not a multiple of group.
//
// Specification: OpenVINO operation set, movement, ShuffleChannels-1.
package shufflechannels

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "ShuffleChannels", Version: 1,
	Inputs:     ops.Exactly(1),
	Attributes: parse,
	Infer:      infer,
	Prepare:    prepare,
	Bounds:     inferBounds,
	Traits:     ops.Traits{Moves: true},
}}

type attributes struct {
	axis  int64 // negative counts from the back
	group int64
}

func parse(a *ir.Attributes) (any, error) {
	at := attributes{axis: a.Int("axis", 1), group: a.Int("group", 1)}
	if at.group < 1 {
		a.Fail("group", "%d is below 1", at.group)
	}
	return at, a.Err()
}
