// Package groupnorm normalises groups of channels, and scales each channel.
//
//	output[b,c,...] = (data[b,c,...] - mean(x)) / sqrt(variance(x)+epsilon) * scale[c] + bias[c]
//
// where x are the elements data[b,k,...] of all channels k of c's group. Each of the
// num_groups groups is the same number of channels in a row.
//
// Versions: GroupNormalization-12. Inputs: data of type T, the second of whose two or
// more axes holds the channels; scale and bias, vectors as long as that axis. Output:
// T and the shape of data. Attributes: num_groups, a divisor of the number of
// channels, and epsilon, both without a default. OpenVINO's rule asks nothing of
// the types; computed are f32, f64, and f16 and bf16, in float32 and rounded once.
//
// Specification: OpenVINO operation set, normalization, GroupNormalization-12.
package groupnorm

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
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
