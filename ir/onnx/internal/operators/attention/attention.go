// Package attention converts attention, and what is around it: rotations by position, caches of
// keys and values, and the recurrences that replace it.
//
// All forms of attention end in one ScaledDotProductAttention with a mask that says all there is to
// say: where keys are, what is causal, windows and biases. Only a softcap, or an output of the
// scores, needs layers for each step.
package attention

import (
	"math"

	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	return append(microsoftRules(), []convert.Rule{
		{Operator: "Attention", Versions: []int{23, 24, 25}, Inputs: infer.Arity{Min: 3, Max: 7}, Outputs: infer.Arity{Min: 1, Max: 4}, Convert: attention},
		{Operator: "CausalConvWithState", Versions: []int{27}, Inputs: infer.Arity{Min: 2, Max: 4}, Outputs: infer.Arity{Min: 1, Max: 2}, Convert: causalConv},
		{
			Domain: "ai.onnx.preview", Operator: "FlexAttention", Versions: []int{1},
			Inputs: infer.Arity{Min: 3, Max: 3}, Outputs: infer.Arity{Min: 1, Max: 1}, Convert: flexAttention,
		},
		{Operator: "LinearAttention", Versions: []int{27}, Inputs: infer.Arity{Min: 3, Max: 6}, Outputs: infer.Arity{Min: 1, Max: 2}, Convert: linearAttention},
		{Operator: "RotaryEmbedding", Versions: []int{23}, Inputs: infer.Arity{Min: 3, Max: 4}, Outputs: infer.Arity{Min: 1, Max: 1}, Convert: rotaryEmbedding},
		{Operator: "TensorScatter", Versions: []int{24}, Inputs: infer.Arity{Min: 2, Max: 3}, Outputs: infer.Arity{Min: 1, Max: 1}, Convert: tensorScatter},
	}...)
}

// attention is ONNX's operator. Inputs have three axes, [batch, rows, heads*size], if attributes
// say how many heads there are, or four, [batch, heads, rows, size]. The keys and values of the
// past are in front of those of the inputs, or nonpad_kv_seqlen says how many of the inputs are
// there.
func attention(n *convert.Node) []convert.Value {
	query, key, value, mask := n.Input(0), n.Input(1), n.Input(2), n.Input(3)
	pastKey, pastValue, present := n.Input(4), n.Input(5), n.Input(6)
	if pastKey.Absent() != pastValue.Absent() {
		n.Fail("past_key and past_value must be there both, or neither")
	}
	if !pastKey.Absent() && !present.Absent() {
		n.Fail("nonpad_kv_seqlen cannot be there with past_key")
	}
	rank := n.Rank(query)
	joined := rank == 3 || rank < 0 && n.HasAttribute("q_num_heads")
	if joined {
		n.RequireAttribute("q_num_heads")
		n.RequireAttribute("kv_num_heads")
		kvHeads := n.Int("kv_num_heads", 1)
		query, key, value = split(n, query, n.Int("q_num_heads", 1)), split(n, key, kvHeads), split(n, value, kvHeads)
	}
	offset := n.IntValue(0)
	if !pastKey.Absent() {
		key, value = n.Concat(2, pastKey, key), n.Concat(2, pastValue, value)
		offset = arithmetic.Lengths(n, pastKey, 2)
	}
	p := &product{
		query: query, key: repeated(n, key, query), value: repeated(n, value, query),
		scale: float64(n.Float("scale", 0)), softcap: float64(n.Float("softcap", 0)), precision: n.ElementType("softmax_precision", n.Type(query)),
	}
	if !present.Absent() {
		present = n.Unsqueeze(present, 1, 2, 3)
		offset = arithmetic.Subtract(n, present, arithmetic.Lengths(n, query, 2))
		p.allow(n, n.Layer("Less", 1, nil, p.columns(n), present))
		p.excludesRows = true
	}
	if !mask.Absent() && n.Version >= 24 {
		mask = lengthened(n, mask, arithmetic.Lengths(n, key, 2))
	}
	p.mask(n, mask)
	left, right := n.Int("left_window_size", -1), n.Int("right_window_size", -1)
	switch causal := n.Bool("is_causal", false); {
	case causal && pastKey.Absent() && present.Absent() && mask.Absent() && left < 0:
		p.causal = true
	case causal:
		right = 0
		fallthrough
	default:
		p.window(n, p.places(n, offset), left, right)
		p.excludesRows = p.excludesRows || left >= 0 || right > 0
	}
	output, scores := p.attend(n, n.Int("qk_matmul_output_mode", 0), n.Wants(3))
	if joined {
		output = join(n, output)
	}
	return []convert.Value{output, key, value, scores}
}

// lengthened returns a mask whose last axis has at least a length: what is added excludes keys.
func lengthened(n *convert.Node, mask, length convert.Value) convert.Value {
	rank := n.RequireRank(mask, "attn_mask")
	if n.Failed() || rank == 0 {
		return mask
	}
	last := arithmetic.Lengths(n, mask, -1)
	missing := arithmetic.Maximum(n, arithmetic.Subtract(n, length, last), n.IntValue(0))
	if known, ok := n.Ints(missing); ok && known[0] == 0 {
		return mask
	}
	begins, ends := n.IntValues(make([]int64, rank)...), missing
	if rank > 1 {
		ends = n.Concat(0, n.IntValues(make([]int64, rank-1)...), missing)
	}
	return arithmetic.Pad(n, mask, begins, ends, excluded(n, mask))
}

// excluded returns the element of a mask that excludes a key.
func excluded(n *convert.Node, mask convert.Value) convert.Value {
	if isBoolean(n, mask) {
		return n.Like(mask, 0)
	}
	return n.Like(mask, math.Inf(-1))
}
