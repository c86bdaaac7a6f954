// Package normalizel2 divides vectors along some axes by their L2 norm:
//
//	output[i] = data[i] / sqrt(s + eps)        if eps_mode is add
//	output[i] = data[i] / sqrt(max(s, eps))    if eps_mode is max
//
// where s is the sum of the squares of the elements of data whose positions differ from i only
// along axes. If there are no axes, each element is divided by itself: the output is 1, or 0 if
// data is 0.
//
// Versions: NormalizeL2-1. Inputs: data of any type and shape; axes, a scalar or vector.
// Negative axes count from the last one. Output: the type and shape of data. The kernel
// computes f32, f64, f16 and bf16; the 16-bit types are computed in float32 and rounded once. So
// are integers, as in OpenVINO: to the nearest, halves to even, within the limits of the type.
// Attributes: eps, by default 0, and eps_mode, by default add. OpenVINO's rule does not check
// that axes has an integer type. Errors: axes that data does not have.
//
// Specification: OpenVINO operation set, normalization, NormalizeL2-1.
package normalizel2

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// Ops lists the layer types of this family.
var Ops = []ops.Op{{
	Type: "NormalizeL2", Version: 1,
	Inputs:     ops.Exactly(2),
	Types:      widened.RoundedTypes,
	Attributes: parse,
	Values:     []int{1},
	Infer:      infer,
	Memory:     ops.Memory{InPlace: []int{0}},
	Fusion:     ops.Fusion{Applies: true},
	Prepare:    widened.Prepare(widened.Rounded, prepare, 0),
}}

type attributes struct {
	eps float32
	max bool // eps_mode is max
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("eps")
	a.Expect("eps_mode")
	return attributes{float32(a.Float("eps", 0)), a.Enum("eps_mode", "add", "add", "max") == "max"}, a.Err()
}
