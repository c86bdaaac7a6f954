package attention

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// linearAttention keeps a matrix for each head of keys, to which each row adds the product of its
// key and its value:
//
//	state = exp(decay)*state + transpose(key)*value
//	output = scale * query * state
//
// Without decay, a factor of 1 stands for it. With beta, beta*(value - key*state) stands for value:
// what the state has for the key already is subtracted. Output 1 is the last state. All is computed
// in f32, in a loop over the rows.
func linearAttention(n *convert.Node) []convert.Value {
	refuse(n, 0, "state_window")
	n.RequireAttribute("q_num_heads")
	n.RequireAttribute("kv_num_heads")
	l := linear{n: n, heads: n.Int("q_num_heads", 1), kvHeads: n.Int("kv_num_heads", 1)}
	if !l.check() {
		return nil
	}
	groups := l.heads / l.kvHeads
	wide := func(v convert.Value, shape ...int64) convert.Value {
		return n.Reshape(n.Convert(v, ir.F32), n.IntValues(append([]int64{0, 0}, shape...)...), true)
	}
	query := wide(n.Input(0), l.kvHeads, groups, -1)
	key, value := wide(n.Input(1), l.kvHeads, 1, -1), wide(n.Input(2), l.kvHeads, 1, -1)
	scale := n.Scalar(ir.F32, float64(n.Float("scale", 0)))
	if n.Float("scale", 0) == 0 {
		scale = rootScale(n, query)
	}
	sliced := []convert.Value{arithmetic.Multiply(n, query, scale), key, value}
	if n.Has(4) {
		sliced = append(sliced, wide(n.Input(4), l.kvHeads, -1, 1))
	}
	if n.Has(5) {
		sliced = append(sliced, wide(n.Input(5), -1, 1, 1))
	}
	t, state := n.Type(n.Input(0)), n.Input(3)
	if state.Absent() {
		length := func(v convert.Value, axis int64) convert.Value { return arithmetic.Lengths(n, v, axis) }
		shape := n.Concat(0, length(key, 0), n.IntValues(l.kvHeads), length(key, 4), length(value, 4))
		state = arithmetic.Broadcast(n, n.Scalar(ir.F32, 0), shape)
	} else {
		t = n.Type(state)
	}
	output, last := l.loop(n.Convert(state, ir.F32), sliced)
	output = n.Reshape(output, n.IntValues(0, 0, -1), true)
	return []convert.Value{n.Convert(output, n.Type(n.Input(0))), n.Convert(last, t)}
}

// linear converts a LinearAttention.
type linear struct {
	n              *convert.Node
	heads, kvHeads int64
	gated, delta   bool // whether there is decay, and beta
}

// check reports whether the node has the inputs that its rule needs; otherwise there is an error.
func (l *linear) check() bool {
	n := l.n
	if l.heads <= 0 || l.kvHeads <= 0 || l.heads%l.kvHeads != 0 {
		n.Fail("there are %d heads for queries and %d for keys, expected a multiple", l.heads, l.kvHeads)
	}
	rule := l.readRule()
	if l.gated != n.Has(4) {
		n.Fail("update_rule is %s, and decay is there: %v", rule, n.Has(4))
	}
	if l.delta != n.Has(5) {
		n.Fail("update_rule is %s, and beta is there: %v", rule, n.Has(5))
	}
	return !n.Failed()
}

// readRule reads the attribute update_rule.
func (l *linear) readRule() string {
	rule := l.n.Enum("update_rule", "gated_delta", "linear", "gated", "delta", "gated_delta")
	l.gated, l.delta = rule == "gated" || rule == "gated_delta", rule == "delta" || rule == "gated_delta"
	return rule
}

// loop adds the loop over axis 1 of what is sliced: query [batch, rows, heads of keys, group,
// size], key and value with group 1, and decay and beta if the node has them. It returns the
// outputs of all rows, like query, and the last state, [batch, heads, size of keys, size of
// values].
func (l *linear) loop(state convert.Value, sliced []convert.Value) (output, last convert.Value) {
	n, body := l.n, l.n.NewBody()
	rows := ir.BodyPort{Sliced: true, Axis: 1, End: -1, Stride: 1, PartSize: 1}
	inputs := []convert.Value{n.Squeeze(arithmetic.Lengths(n, sliced[0], 1), 0), n.ValueOf(true), state}
	before := body.Parameter(ir.BodyPort{External: 2}, ir.F32, n.Shape(state))
	parts := make([]convert.Value, len(sliced))
	for i, v := range sliced {
		port, shape := rows, n.Shape(v)
		port.External = len(inputs)
		inputs = append(inputs, v)
		if shape.RankKnown() {
			shape = shape.With(1, ir.Dim(1))
		}
		parts[i] = body.Squeeze(body.Parameter(port, ir.F32, shape), 1)
	}
	y, after := l.step(body.Node, before, parts)
	body.Result(ir.BodyPort{External: -1, Purpose: "execution_condition"}, body.ValueOf(true))
	rows.External = 0
	body.Result(rows, body.Unsqueeze(y, 1))
	body.State(body.Result(ir.BodyPort{External: 1}, after), before)
	output = n.LayerWithBodies("Loop", 5, 2, []*convert.Body{body}, inputs...)
	if n.Failed() {
		return output, output
	}
	return output, output.Output(1)
}

// step adds the layers for one row, and returns its output and the state after it.
func (l *linear) step(n *convert.Node, state convert.Value, parts []convert.Value) (output, after convert.Value) {
	product := func(a, b convert.Value, transposes bool) convert.Value {
		return arithmetic.MatMul(n, a, b, transposes, false)
	}
	query, key, value, rest := parts[0], parts[1], parts[2], parts[3:]
	if l.gated {
		state = arithmetic.Multiply(n, state, n.Layer("Exp", 1, nil, rest[0]))
	}
	if l.delta {
		value = arithmetic.Multiply(n, rest[len(rest)-1], arithmetic.Subtract(n, value, product(key, state, false)))
	}
	state = arithmetic.Add(n, state, product(key, value, true))
	return product(query, state, false), state
}
