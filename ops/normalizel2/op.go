// Package normalizel2 divides by the length of the vectors along some axes.
//
//	output[i] = data[i] / sqrt(s + eps) or, with eps_mode max, / sqrt(max(s, eps))
//
// where s is the sum of the squares of the elements of data that differ from i only
// in their places along axes. Without axes it is each element that is divided by
// itself: the output is 1, but 0 where data is 0.
//
// Versions: NormalizeL2-1. Inputs: data of any type and shape; axes, a scalar or
// vector, negative ones counted from the back. Output: the type and shape of data.
// Computed are f32, f64, and f16 and bf16, in float32 and rounded once.
// Attributes: eps, 0 where it is missing, and eps_mode, add where it is missing.
// OpenVINO's rule does not ask whether axes is of an integer type. Errors: axes that
// data does not have.
//
// Specification: OpenVINO operation set, normalization, NormalizeL2-1.
package normalizel2

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "NormalizeL2", Version: 1,
	Inputs:     ops.Exactly(2),
	Types:      []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16},
	Attributes: parse,
	Values:     []int{1},
	Infer:      infer,
	Memory:     ops.Memory{InPlace: []int{0}},
	Fusion:     ops.Fusion{Applies: true},
	Prepare:    prepare,
}}

type attributes struct {
	eps float32
	max bool // of the sum and eps; not their sum
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("eps")
	a.Expect("eps_mode")
	return attributes{float32(a.Float("eps", 0)), a.Enum("eps_mode", "add", "add", "max") == "max"}, a.Err()
}
