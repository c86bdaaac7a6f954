// Package groupnorm normalises groups of channels, and scales each channel:
//
//	output[b,c,...] = (data[b,c,...] - mean(x)) / sqrt(variance(x)+epsilon) * scale[c] + bias[c]
//
// where x are the elements data[b,k,...] of all channels k in the group of c. Each of the
// num_groups groups has the same number of consecutive channels.
//
// Versions: GroupNormalization-12. Inputs: data of type T and at least two axes; axis 1 holds
// the channels; scale and bias, vectors as long as that axis. Output: T and the shape
// of data. Attributes: num_groups, a divisor of the number of channels, and epsilon; both are
// required. OpenVINO's rule does not check the types. The kernel computes f32, f64, f16 and
// bf16; the 16-bit types are computed in float32 and rounded once.
//
// Specification: OpenVINO operation set, normalization, GroupNormalization-12.
package groupnorm

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops lists the layer types of this family.
var Ops = []ops.Op{{
	Type: "GroupNormalization", Version: 12,
	Inputs:     ops.Exactly(3),
	Types:      []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16},
	Attributes: parse,
	Infer:      infer,
	Memory:     ops.Memory{InPlace: []int{0}},
	Fusion:     ops.Fusion{Applies: true},
	Prepare:    prepare,
}}

type attributes struct {
	groups  int64 // at least 1
	epsilon float64
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("epsilon")
	at := attributes{a.Int("num_groups", 0), a.Float("epsilon", 0)}
	if at.groups <= 0 {
		a.Fail("num_groups", "%d is not positive", at.groups)
	}
	return at, a.Err()
}
