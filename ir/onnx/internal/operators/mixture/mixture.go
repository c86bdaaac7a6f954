// Package mixture converts mixtures of experts of ONNX Runtime: networks of two or three products
// for each expert, of which each row of the input goes through a few.
//
// The rows are sorted by experts, so that a GroupedMatMul reads the weights of those experts alone
// that have rows. OpenVINO's CPU plugin has no kernel for that layer type.
package mixture

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	one := infer.Arity{Min: 1, Max: 1}
	return []convert.Rule{
		{Domain: "com.microsoft", Operator: "MoE", Versions: []int{1}, Inputs: infer.Arity{Min: 3, Max: 8}, Outputs: one, Convert: plain},
		{Domain: "com.microsoft", Operator: "QMoE", Versions: []int{1}, Inputs: infer.Arity{Min: 3, Max: 15}, Outputs: one, Convert: quantized},
	}
}

// dense is what the experts multiply rows by, weights [experts, columns, length of a row], and add
// to the products, bias [experts, columns], which can be absent.
type dense struct{ weights, bias convert.Value }

// plain is MoE: weights are floats.
func plain(n *convert.Node) []convert.Value {
	m := mixture{first: dense{n.Input(2), n.Input(3)}, second: dense{n.Input(4), n.Input(5)}, third: dense{n.Input(6), n.Input(7)}}
	return []convert.Value{m.apply(n)}
}

// mixture is a mixture of experts: second(activation(first(x))), or, with a third,
// second(activation(first(x)) * third(x)).
type mixture struct {
	first, second, third dense
	// weights has the weight of each expert for each row, [rows, experts]; it can be absent.
	weights convert.Value
	// ofChosen means that weights that are absent are a softmax of the experts chosen alone.
	ofChosen bool
}

// apply adds the layers.
func (m mixture) apply(n *convert.Node) convert.Value {
	if n.Bool("use_sparse_mixer", false) {
		n.Fail("attribute use_sparse_mixer is 1, which is not supported")
	}
	if m.second.weights.Absent() {
		n.Fail("the weights of the second product are absent, and %s requires them", n.Operator())
		return convert.Value{}
	}
	x, shape := n.Input(0), n.ShapeOf(n.Input(0))
	size := n.Slice(shape, 0, -1, math.MaxInt64)
	x = n.Reshape(x, n.Concat(0, n.IntValues(-1), size), false)
	k := n.Int("k", 1)
	chosen, weights := m.route(n, k)
	flat := n.Reshape(chosen, n.IntValues(-1), false)
	order := sorted(n, flat)
	s := sharing{experts: gather(n, flat, order)}
	s.ends = m.ends(n, flat)
	rows := arithmetic.Divide(n, order, n.IntValue(k))
	h := gather(n, x, rows)
	y := s.product(n, m.second, m.activated(n, s, h))
	y = gather(n, y, sorted(n, order)) // as the rows were
	y = n.Reshape(y, n.Concat(0, n.IntValues(-1, k), size), false)
	y = arithmetic.Multiply(n, y, n.Unsqueeze(n.Convert(weights, n.Type(y)), 2))
	return n.Reshape(n.Layer("ReduceSum", 1, convert.Attributes("keep_dims", false), y, n.IntValue(1)), shape, false)
}

// route returns the numbers of the k experts of each row, and their weights: parts of a softmax of
// all, or of those.
func (m mixture) route(n *convert.Node, k int64) (chosen, weights convert.Value) {
	scores := n.Input(1)
	attributes := convert.Attributes("axis", -1, "mode", "max", "sort", "value", "index_element_type", ir.I64, "stable", true)
	top := n.Layer("TopK", 11, attributes, scores, n.IntValue(k))
	if n.Failed() {
		return top, top
	}
	softmax := func(v convert.Value) convert.Value {
		return n.Layer("Softmax", 8, convert.Attributes("axis", -1), v)
	}
	chosen, normalize := top.Output(1), n.Bool("normalize_routing_weights", false)
	if m.weights.Absent() && (normalize || m.ofChosen) {
		return chosen, softmax(top)
	}
	all := m.weights
	if all.Absent() {
		all = softmax(scores)
	}
	weights = n.Layer("GatherElements", 6, convert.Attributes("axis", 1), all, chosen)
	if normalize {
		sum := n.Layer("ReduceSum", 1, convert.Attributes("keep_dims", true), weights, n.IntValue(1))
		weights = arithmetic.Divide(n, weights, sum)
	}
	return chosen, weights
}

// ends returns the number of rows of each expert and those before it.
func (m mixture) ends(n *convert.Node, experts convert.Value) convert.Value {
	depth := n.Squeeze(n.Slice(n.ShapeOf(n.Input(1)), 0, -1, math.MaxInt64), 0)
	each := n.Layer("OneHot", 1, convert.Attributes("axis", -1), experts, depth, n.IntValue(1), n.IntValue(0))
	counts := n.Layer("ReduceSum", 1, convert.Attributes("keep_dims", false), each, n.IntValue(0))
	return n.Layer("CumSum", 3, convert.Attributes("exclusive", false, "reverse", false), counts, n.IntValue(0))
}

// sorted returns the order that sorts a vector. Equal elements stay in their order.
func sorted(n *convert.Node, v convert.Value) convert.Value {
	attributes := convert.Attributes("axis", 0, "mode", "min", "sort", "value", "index_element_type", ir.I64, "stable", true)
	order := n.Layer("TopK", 11, attributes, v, n.Squeeze(n.ShapeOf(v), 0))
	if n.Failed() {
		return order
	}
	return order.Output(1)
}

// gather returns the rows of v at indices.
func gather(n *convert.Node, v, indices convert.Value) convert.Value {
	return arithmetic.Gather(n, v, indices, 0)
}

// sharing says which rows are whose: experts has the number of the expert of each row, in ascending
// order, and ends the number of rows up to those of each expert.
type sharing struct{ experts, ends convert.Value }

// product multiplies rows by the weights of their experts.
func (s sharing) product(n *convert.Node, d dense, rows convert.Value) convert.Value {
	y := n.Layer("GroupedMatMul", 17, nil, rows, d.weights, s.ends)
	if !d.bias.Absent() {
		y = arithmetic.Add(n, y, gather(n, d.bias, s.experts))
	}
	return y
}
