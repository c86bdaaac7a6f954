// Package lrn normalises each element by its neighbours along some axes, usually the channel
// axis (local response normalization):
//
//	output[i] = data[i] / (bias + alpha/n * sum(x*x))^beta
//
// where x are the elements of data whose distance from i along each of axes is at most
// (size-1)/2, rounded down, and n is size to the power of the number of axes.
//
// Versions: LRN-1. Inputs: data of any type and shape; axes, a vector of integers. Output: the
// type and shape of data. Attributes: alpha, beta, bias and size, by default 0. As in
// OpenVINO's rule, unknown axes count as [1] and negative axes as 0. An axis that occurs twice
// counts once. The kernel computes f32, f64, f16 and bf16; the 16-bit types are computed in
// float32 and rounded once. So are integers, as in OpenVINO: to the nearest, halves to even, within
// the limits of the type. Errors: more axes than data has, and axes that data does not have.
//
// Specification: OpenVINO operation set, normalization, LRN-1.
package lrn

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// Ops lists the layer types of this family.
var Ops = []ops.Op{{
	Type: "LRN", Version: 1,
	Inputs:     ops.Exactly(2),
	Types:      widened.RoundedTypes,
	Attributes: parse,
	Values:     []int{1},
	Infer:      infer,
	Memory:     ops.Memory{InPlace: []int{0}},
	Fusion:     ops.Fusion{Applies: true},
	Prepare:    prepare,
}}

type attributes struct {
	alpha, beta, bias float64
	size              int64
}

func parse(a *ir.Attributes) (any, error) {
	for _, name := range []string{"alpha", "beta", "bias", "size"} {
		a.Expect(name)
	}
	return attributes{a.Float("alpha", 0), a.Float("beta", 0), a.Float("bias", 0), a.Int("size", 0)}, a.Err()
}
