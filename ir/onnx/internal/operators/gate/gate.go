// Package gate converts operators with which ONNX Runtime fuses the gates of language models and
// the mixing of their streams: EngramGate, GatedAdd, HyperConnectionPostMix, HyperConnectionPreMix,
// LinearAttentionGate, MoEGroupRouter and SwiGLU. All compute in f32, and their results have the
// type of the input.
package gate

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	one, upTo2 := infer.Arity{Min: 1, Max: 1}, infer.Arity{Min: 1, Max: 2}
	rules := []convert.Rule{
		{Operator: "EngramGate", Inputs: infer.Arity{Min: 5, Max: 6}, Outputs: upTo2, Convert: engram},
		{Operator: "GatedAdd", Inputs: infer.Arity{Min: 3, Max: 4}, Outputs: one, Convert: gatedAdd},
		{Operator: "HyperConnectionPostMix", Inputs: infer.Arity{Min: 3, Max: 4}, Outputs: one, Convert: postMix},
		{Operator: "HyperConnectionPreMix", Inputs: infer.Arity{Min: 2, Max: 2}, Outputs: one, Convert: preMix},
		{Operator: "LinearAttentionGate", Inputs: infer.Arity{Min: 3, Max: 4}, Outputs: upTo2, Convert: linearAttention},
		{Operator: "MoEGroupRouter", Inputs: infer.Arity{Min: 2, Max: 3}, Outputs: infer.Arity{Min: 1, Max: 3}, Convert: groupRouter},
		{Operator: "SwiGLU", Inputs: upTo2, Outputs: one, Convert: swiGLU},
	}
	for i := range rules {
		rules[i].Domain, rules[i].Versions = "com.microsoft", []int{1}
	}
	return rules
}

// wide returns an input in f32.
func wide(n *convert.Node, i int) convert.Value { return n.Convert(n.Input(i), ir.F32) }

// narrow returns v in the type of input 0.
func narrow(n *convert.Node, v convert.Value) convert.Value {
	return n.Convert(v, n.Type(n.Input(0)))
}

func sigmoid(n *convert.Node, v convert.Value) convert.Value { return n.Layer("Sigmoid", 1, nil, v) }

// lead returns the shape of v without its last axes.
func lead(n *convert.Node, v convert.Value, axes int64) convert.Value {
	return n.Slice(n.ShapeOf(v), 0, 0, -axes)
}

// last returns the length of the last axis of v.
func last(n *convert.Node, v convert.Value) convert.Value {
	return n.Slice(n.ShapeOf(v), 0, -1, math.MaxInt64)
}

// reduced reduces the last axis, which keeps length 1 if kept is set.
func reduced(n *convert.Node, layerType string, v convert.Value, kept bool) convert.Value {
	return n.Layer(layerType, 1, convert.Attributes("keep_dims", kept), v, n.IntValue(-1))
}

// linearAttention is LinearAttentionGate: decay is decay_scale * softplus(a + dt_bias), and beta
// the sigmoid of b.
func linearAttention(n *convert.Node) []convert.Value {
	decay := n.Layer("SoftPlus", 4, nil, arithmetic.Add(n, wide(n, 0), wide(n, 1)))
	outputs := []convert.Value{narrow(n, arithmetic.Multiply(n, decay, wide(n, 2)))}
	if n.Has(3) {
		outputs = append(outputs, narrow(n, sigmoid(n, wide(n, 3))))
	}
	return outputs
}

// gatedAdd is x + y*gate: the gate is one number for each row.
func gatedAdd(n *convert.Node) []convert.Value {
	if n.Has(3) {
		n.Unsupported("a gate that the node projects; ONNX Runtime has it for GPUs only")
		return nil
	}
	return []convert.Value{arithmetic.Add(n, n.Input(0), arithmetic.Multiply(n, n.Input(1), n.Input(2)))}
}

// swiGLU is gate * sigmoid(alpha*gate) * (linear+beta), both limited if there is a limit. Both can
// be joined in the last axis of the first input.
func swiGLU(n *convert.Node) []convert.Value {
	var gate, linear convert.Value
	if n.Has(1) {
		gate, linear = wide(n, 0), wide(n, 1)
	} else {
		halves := n.Split(wide(n, 0), -1, 2)
		gate, linear = halves[0], halves[1]
	}
	if limit := float64(n.Float("limit", 0)); limit > 0 {
		most := n.Scalar(ir.F32, limit)
		gate, linear = arithmetic.Minimum(n, gate, most), arithmetic.Clamp(n, linear, n.Scalar(ir.F32, -limit), most)
	}
	gate = n.Layer("Swish", 4, nil, gate, n.Scalar(ir.F32, float64(n.Float("activation_alpha", 1))))
	if n.Bool("round_activation", false) {
		gate = n.Convert(narrow(n, gate), ir.F32)
	}
	linear = arithmetic.Plus(n, linear, float64(n.Float("activation_beta", 0)))
	return []convert.Value{narrow(n, arithmetic.Multiply(n, gate, linear))}
}

// engram is EngramGate. The gate of each stream is
//
//	sigmoid(sign(d) * sqrt(max(abs(d), 1e-6)))
//
// where d is the product of key and query, divided by the roots of the means of their squares and
// by that of their length. Output 1 is the gated value, normalised likewise.
func engram(n *convert.Node) []convert.Value {
	epsilon := float64(n.Float("epsilon", 1e-5))
	normalized := func(v, scale convert.Value) convert.Value {
		squares := reduced(n, "ReduceMean", arithmetic.Multiply(n, v, v), true)
		root := n.Layer("Sqrt", 1, nil, arithmetic.Plus(n, squares, epsilon))
		return arithmetic.Multiply(n, arithmetic.Divide(n, v, root), scale)
	}
	product := arithmetic.Multiply(n, normalized(wide(n, 0), wide(n, 3)), normalized(wide(n, 1), wide(n, 4)))
	size := n.Layer("Sqrt", 1, nil, n.Convert(last(n, n.Input(0)), ir.F32))
	d := arithmetic.Divide(n, reduced(n, "ReduceSum", product, true), size)
	root := n.Layer("Sqrt", 1, nil, arithmetic.Maximum(n, n.Layer("Abs", 1, nil, d), n.Scalar(ir.F32, 1e-6)))
	gate := sigmoid(n, arithmetic.Multiply(n, n.Layer("Sign", 1, nil, d), root))
	value := arithmetic.Multiply(n, gate, n.Unsqueeze(wide(n, 2), 2))
	outputs := []convert.Value{narrow(n, value)}
	if n.Has(5) {
		outputs = append(outputs, narrow(n, normalized(value, wide(n, 5))))
	}
	return outputs
}
