// Package attention computes scaled dot-product attention.
//
//	output = softmax(query * transpose(key) * scale + mask) * value
//
// over the last two axes, the batches before them broadcast by numpy's rule, and L
// and S of the mask too.
//
// Versions: ScaledDotProductAttention-13. Inputs: query [N..., L, E], key
// [N..., S, E], value [N..., S, Ev] of type T and at least three axes; optionally
// attention_mask, a scalar or [L, S] behind batches that broadcast, of T or boolean;
// scale, of T and one element, 1/sqrt(E) where it is missing; and sink of T, of as
// many axes as query and of length 1 along the last: a further term of the sum in the
// softmax. Output: T, [N..., L, Ev]. Attribute: causal, false where it is missing,
// in place of the mask, which then counts for nothing. T: a floating-point type; computed
// are f32, f64, and f16 and bf16, in float32 and rounded once. A row that the mask
// leaves nothing of is NaN, as a softmax of it is; without keys (S is 0) the output is
// 0.
//
// Specification: OpenVINO operation set, sequence, ScaledDotProductAttention-13.
package attention

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "ScaledDotProductAttention", Version: 13,
	Inputs:     ops.Between(3, 6),
	Types:      []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16},
	Attributes: parse,
	Infer:      infer,
	Prepare:    prepare,
}}

// The inputs, in their order.
const (
	query = iota
	key
	value
	mask
	scale
	sink
)

type attributes struct {
	causal bool
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("causal")
	return attributes{a.Bool("causal", false)}, a.Err()
}
