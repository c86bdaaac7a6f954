// Package attention computes scaled dot-product attention:
//
//	output = softmax(query * transpose(key) * scale + mask) * value
//
// The products are those of matrices in the last two axes, and the softmax is along S. The
// batch axes before them broadcast by NumPy's rule, and so do L and S of the mask.
//
// Versions: ScaledDotProductAttention-13. Inputs: query [N..., L, E], key [N..., S, E] and
// value [N..., S, Ev], of type T and at least three axes. The other inputs are optional:
// attention_mask, a scalar or [..., L, S] with batch axes that broadcast, of type T or boolean;
// scale, of type T and one element, by default 1/sqrt(E); and sink, of type T, with as many
// axes as query and length 1 along the last one. A sink is a further term in the sum of the
// softmax. Output: type T, [N..., L, Ev]. Attribute: causal, by default false. If it is true,
// output row i only uses keys 0 to i, and the mask is ignored. T: a floating-point type. The
// kernel computes f32, f64, f16 and bf16; the 16-bit types are computed in float32 and rounded
// once. A row whose mask excludes all keys is NaN, like the softmax of such a row. If there are
// no keys (S is 0), the output is 0.
//
// CachedAttention-vinoir is what the compiler inserts for attention to states that grow: key and
// value have room behind their S rows. The two inputs after them, i64, have their shapes without
// the room. The others follow, those of ScaledDotProductAttention in its order. Each index of the
// last batch axis of key and value serves as many consecutive indices of query as the attribute
// groups says. Batch axes of key and value have the length of query's or 1. If query is f32, key
// and value may be f16, bf16, or u8 whose rows levels.EncodeRows has stored: then they are longer
// by levels.RowExtra than their shape without the room says. With the attribute new_rows, two
// inputs of query's type follow the shapes: the last rows of key and value, which are then read
// from there, unrounded.
//
// QuantizedAttention-vinoir, which only passes insert, has query and key of u8: numbers of levels,
// as Quantize-vinoir returns them.
//
//	output = softmax((query - 128) * transpose(key) * scale + mask) * value
//
// Its other inputs are those of ScaledDotProductAttention, without sink, of f32. E is a multiple
// of 4. The first product is that of integers.
//
// Specification: OpenVINO operation set, sequence, ScaledDotProductAttention-13.
package attention

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/passes/attention"
)

// Ops lists the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "ScaledDotProductAttention", Version: 13,
		Inputs:     ops.Between(3, 6),
		Types:      []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16},
		Attributes: parse,
		Infer:      infer,
		Prepare:    prepare,
		Passes:     []ops.Pass{{Name: "RecogniseAttention", Run: attention.RecogniseAttention}},
	},
	{
		Type: "CachedAttention", Namespace: "vinoir",
		Inputs:     ops.Between(5, 10),
		Types:      []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16},
		Attributes: parseCached,
		Values:     []int{keyShape, valueShape},
		Infer:      inferCached,
		Prepare:    prepareCached,
		Passes:     []ops.Pass{{Name: "GrowStates", Run: attention.GrowStates}},
	},
	{
		Type: "QuantizedAttention", Namespace: "vinoir",
		Inputs:     ops.Between(3, 5),
		Types:      []ir.ElementType{ir.U8},
		Attributes: parse,
		Infer:      inferQuantized,
		Prepare:    prepareQuantized,
	},
}

// The indices of the inputs.
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
