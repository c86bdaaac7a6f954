package attention

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// gatedDelta is GatedDeltaNet: LinearAttention of texts that are packed one behind the other, or
// are a batch of the same length. Heads of values share those of queries and keys. The state has
// the size of the values before that of the keys. Padding, which a batch of different lengths
// needs, leaves the state as it is: its keys and decays are 0.
func gatedDelta(n *convert.Node) []convert.Value {
	refuse(n, 0, "state_update_capacity")
	d := delta{linear: linear{n: n}, state: n.Input(6)}
	d.readRule()
	if d.gated {
		n.RequireInput(4)
	}
	if d.delta {
		n.RequireInput(5)
	}
	query, key, value := d.projections()
	if rank := n.RequireRank(value, "value"); rank == 4 {
		d.batched = true
	} else if n.Has(3) {
		d.packing = packingOf(n, n.Input(3))
	}
	if d.state.Absent() {
		d.state = d.noState(key, value)
	}
	if n.Bool("qk_l2_norm", false) {
		epsilon := 1e-12
		if activation := d.activation(); activation == "sigmoid" || activation == "kda" {
			epsilon = 1e-6 // as ONNX Runtime, whose documentation does not mention it
		}
		query, key = normalizedRows(n, query, epsilon), normalizedRows(n, key, epsilon)
	}
	scale := n.Scalar(ir.F32, float64(n.Float("scale", 0)))
	if n.Float("scale", 0) == 0 {
		scale = rootScale(n, query)
	}
	heads := arithmetic.Lengths(n, d.state, 1)
	sliced := []convert.Value{ // [batch, rows, heads, 1, size]
		n.Unsqueeze(d.shared(d.texts(arithmetic.Multiply(n, query, scale)), heads), 3),
		n.Unsqueeze(d.shared(d.texts(key), heads), 3),
		n.Unsqueeze(d.texts(value), 3),
	}
	if d.gated {
		sliced = append(sliced, n.Unsqueeze(d.texts(d.decay(value)), 4))
	}
	if d.delta {
		beta := n.Convert(n.Input(5), ir.F32)
		if n.Enum("beta_activation", "none", "none", "sigmoid") == "sigmoid" {
			beta = n.Layer("Sigmoid", 1, nil, beta)
		}
		sliced = append(sliced, n.Unsqueeze(d.texts(beta), 3, 4))
	}
	swap := func(v convert.Value) convert.Value { return n.Transpose(v, 0, 1, 3, 2) }
	output, last := d.loop(swap(d.state), sliced)
	return []convert.Value{n.Convert(d.result(output, value), n.Type(n.Input(0))), swap(last)}
}

// delta converts a GatedDeltaNet.
type delta struct {
	linear
	state   convert.Value // [batch, heads, size of values, size of keys]
	batched bool          // the texts are a batch, [batch, rows, ...], and not [tokens, ...]
	packing               // where packed texts end, if that is given
}

// noState returns a state of 0 for a key and a value. Packed texts of the same length need a state,
// which alone says how many they are.
func (d *delta) noState(key, value convert.Value) convert.Value {
	n := d.n
	batch := arithmetic.Lengths(n, value, 0)
	switch {
	case d.batched:
	case d.offsets.Absent():
		n.Fail("initial_state and cu_seqlens are absent: nothing says how many texts there are")
	default:
		batch = arithmetic.Lengths(n, d.offsets, 0)
	}
	shape := n.Concat(0, batch, arithmetic.Lengths(n, value, -2, -1), arithmetic.Lengths(n, key, -1))
	return arithmetic.Broadcast(n, n.Scalar(ir.F32, 0), shape)
}

// projections returns query, key and value [..., heads, size] in f32. They can be joined in input
// 0: the state has the sizes of key and value then.
func (d *delta) projections() (query, key, value convert.Value) {
	n := d.n
	if n.Has(1) {
		return n.Convert(n.Input(0), ir.F32), n.Convert(n.Input(1), ir.F32), n.Convert(n.Input(2), ir.F32)
	}
	if d.state.Absent() {
		n.Fail("initial_state is absent, and %s of joined inputs requires it", n.Operator())
	}
	all := n.Convert(n.Input(0), ir.F32)
	heads, valueSize, keySize := arithmetic.Lengths(n, d.state, 1), arithmetic.Lengths(n, d.state, 2), arithmetic.Lengths(n, d.state, 3)
	values := arithmetic.Multiply(n, heads, valueSize)
	keys := arithmetic.Divide(n, arithmetic.Subtract(n, arithmetic.Lengths(n, all, 1), values), n.IntValue(2))
	parts := n.Layer("VariadicSplit", 1, nil, all, n.IntValue(1), n.Concat(0, keys, keys, values))
	if n.Failed() {
		return parts, parts, parts
	}
	of := func(i int, size convert.Value) convert.Value {
		return n.Reshape(parts.Output(i), n.Concat(0, n.IntValues(0, -1), size), true)
	}
	return of(0, keySize), of(1, keySize), of(2, valueSize)
}

// texts returns what there is for each token as [batch, rows, ...].
func (d *delta) texts(v convert.Value) convert.Value {
	n := d.n
	switch {
	case d.batched:
		return v
	case !d.offsets.Absent():
		return d.restored(n, v)
	}
	rest := n.Slice(n.ShapeOf(v), 0, 1, math.MaxInt64)
	return n.Reshape(v, n.Concat(0, arithmetic.Lengths(n, d.state, 0), n.IntValues(-1), rest), false)
}

// result returns the outputs of all rows, [batch, rows, heads, 1, size], in the shape of value.
func (d *delta) result(output, value convert.Value) convert.Value {
	n := d.n
	if !d.offsets.Absent() {
		output = d.removed(n, n.Reshape(output, n.IntValues(0, 0, -1), true), value)
	}
	return n.Reshape(output, n.ShapeOf(value), false)
}

// shared returns [batch, rows, heads, size] with more heads: each is repeated for those that follow
// each other.
func (d *delta) shared(v, heads convert.Value) convert.Value {
	n := d.n
	swap := func(v convert.Value) convert.Value { return n.Transpose(v, 0, 2, 1, 3) }
	return swap(repeated(n, swap(v), n.Unsqueeze(arithmetic.Range(n, heads, ir.I64), 0, 2, 3)))
}

// activation returns the attribute gate_activation.
func (d *delta) activation() string {
	return d.n.Enum("gate_activation", "none", "none", "softplus", "qwen", "sigmoid", "kda")
}

// decay returns the logarithms of the decays, [..., heads, 1 or size of keys]: those of the input,
// or what gate_activation makes of them.
func (d *delta) decay(value convert.Value) convert.Value {
	n := d.n
	x := n.Convert(n.Input(4), ir.F32)
	if n.RequireRank(x, "decay") < n.Rank(value) {
		x = n.Unsqueeze(x, -1)
	}
	activation := d.activation()
	if activation == "none" {
		return x
	}
	if !n.Has(7) || !n.Has(8) {
		n.Fail("a_log or dt_bias is absent, and gate_activation %s requires both", activation)
		return x
	}
	perHead := n.Concat(0, arithmetic.Lengths(n, d.state, 1), n.IntValues(-1))
	rate := n.Layer("Exp", 1, nil, n.Reshape(n.Input(7), perHead, false))
	x = arithmetic.Add(n, x, n.Reshape(n.Input(8), perHead, false))
	if activation == "softplus" || activation == "qwen" {
		return n.Layer("Negative", 1, nil, arithmetic.Multiply(n, rate, n.Layer("SoftPlus", 4, nil, x)))
	}
	bound := n.Scalar(ir.F32, float64(n.Float("gate_lower_bound", -5)))
	return arithmetic.Multiply(n, bound, n.Layer("Sigmoid", 1, nil, arithmetic.Multiply(n, rate, x)))
}

// normalizedRows divides the last axis by the root of the sum of its squares.
func normalizedRows(n *convert.Node, v convert.Value, epsilon float64) convert.Value {
	sum := n.Layer("ReduceSum", 1, convert.Attributes("keep_dims", true), arithmetic.Multiply(n, v, v), n.IntValue(-1))
	return arithmetic.Divide(n, v, n.Layer("Sqrt", 1, nil, arithmetic.Add(n, sum, n.Scalar(ir.F32, epsilon))))
}
