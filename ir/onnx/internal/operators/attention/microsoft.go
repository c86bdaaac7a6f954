package attention

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/quantization"
)

// microsoftRules returns the rules of ONNX Runtime's operators.
func microsoftRules() []convert.Rule {
	rules := []convert.Rule{
		{Operator: "Attention", Inputs: infer.Arity{Min: 2, Max: 7}, Outputs: infer.Arity{Min: 1, Max: 2}, Convert: packedWeights},
		{Operator: "CausalConvWithState", Inputs: infer.Arity{Min: 2, Max: 4}, Outputs: infer.Arity{Min: 1, Max: 2}, Convert: microsoftConv},
		{Operator: "DecoderMaskedMultiHeadAttention", Inputs: infer.Arity{Min: 3, Max: 11}, Outputs: infer.Arity{Min: 1, Max: 4}, Convert: maskedMultiHead},
		{Operator: "DecoderMaskedSelfAttention", Inputs: infer.Arity{Min: 2, Max: 9}, Outputs: infer.Arity{Min: 1, Max: 2}, Convert: maskedPackedWeights},
		{Operator: "GatedDeltaNet", Inputs: infer.Arity{Min: 1, Max: 11}, Outputs: infer.Arity{Min: 1, Max: 3}, Convert: gatedDelta},
		{Operator: "GatedRelativePositionBias", Inputs: infer.Arity{Min: 6, Max: 7}, Outputs: infer.Arity{Min: 1, Max: 1}, Convert: gatedBias},
		{Operator: "GroupQueryAttention", Inputs: infer.Arity{Min: 1, Max: 17}, Outputs: infer.Arity{Min: 1, Max: 4}, Convert: groupQuery},
		{Operator: "LinearAttention", Inputs: infer.Arity{Min: 3, Max: 6}, Outputs: infer.Arity{Min: 1, Max: 2}, Convert: linearAttention},
		{Operator: "MRotaryEmbedding", Inputs: infer.Arity{Min: 4, Max: 4}, Outputs: infer.Arity{Min: 1, Max: 1}, Convert: multimodalRotary},
		{Operator: "MultiHeadAttention", Inputs: infer.Arity{Min: 1, Max: 10}, Outputs: infer.Arity{Min: 1, Max: 4}, Convert: multiHead},
		{Operator: "PackedAttention", Inputs: infer.Arity{Min: 5, Max: 6}, Outputs: infer.Arity{Min: 1, Max: 1}, Convert: packedAttention},
		{Operator: "PackedMultiHeadAttention", Inputs: infer.Arity{Min: 1, Max: 7}, Outputs: infer.Arity{Min: 1, Max: 1}, Convert: packedMultiHead},
		{Operator: "QAttention", Inputs: infer.Arity{Min: 5, Max: 9}, Outputs: infer.Arity{Min: 1, Max: 2}, Convert: quantizedWeights},
		{Operator: "RelativePositionBias", Inputs: infer.Arity{Min: 3, Max: 3}, Outputs: infer.Arity{Min: 1, Max: 1}, Convert: relativeBias},
		{Operator: "RemovePadding", Inputs: infer.Arity{Min: 2, Max: 2}, Outputs: infer.Arity{Min: 1, Max: 4}, Convert: removePadding},
		{Operator: "RestorePadding", Inputs: infer.Arity{Min: 2, Max: 2}, Outputs: infer.Arity{Min: 1, Max: 1}, Convert: restorePadding},
		{Operator: "RotaryEmbedding", Inputs: infer.Arity{Min: 4, Max: 4}, Outputs: infer.Arity{Min: 1, Max: 1}, Convert: microsoftRotary},
		{Operator: "SparseAttention", Inputs: infer.Arity{Min: 1, Max: 11}, Outputs: infer.Arity{Min: 1, Max: 3}, Convert: sparse},
		{Operator: "VarlenCausalConvWithState", Inputs: infer.Arity{Min: 3, Max: 8}, Outputs: infer.Arity{Min: 1, Max: 3}, Convert: varlenConv},
	}
	for i := range rules {
		rules[i].Domain, rules[i].Versions = "com.microsoft", []int{1}
	}
	return rules
}

// refuse makes attributes that only kernels for other devices have an error if they are not def.
func refuse(n *convert.Node, def int64, names ...string) {
	for _, name := range names {
		if value := n.Int(name, def); value != def {
			n.Fail("attribute %s is %d, and only %d is supported", name, value, def)
		}
	}
}

// packedWeights is Attention: it multiplies the input by the weights of query, key and value, which
// are joined, first.
func packedWeights(n *convert.Node) []convert.Value {
	x := arithmetic.MatMul(n, n.Input(0), n.Input(1), false, false)
	return packed(n, x, n.Input(2), n.Input(3), n.Input(4), n.Input(5))
}

// quantizedWeights is QAttention, Attention with an input and weights of integers.
func quantizedWeights(n *convert.Node) []convert.Value {
	a := quantization.Linear{Scale: n.Input(3), Zero: n.Input(6), Axis: -1}
	b := quantization.Linear{Scale: n.Input(4), Zero: n.Input(7), Axis: -1}
	x := quantization.Product(n, n.Input(0), a, n.Input(1), b)
	return packed(n, x, n.Input(2), n.Input(5), n.Input(8), convert.Value{})
}

// packed converts Attention. x has query, key and value, before a bias is added that can be absent.
// Keys and values of the past are joined in one input, and so is the output of both.
func packed(n *convert.Node, x, bias, mask, past, scoreBias convert.Value) []convert.Value {
	refuse(n, 0, "do_rotary", "past_present_share_buffer")
	heads := n.Int("num_heads", 0)
	parts := joinedParts(n, x, bias, 2)
	p := &product{query: split(n, parts[0], heads), key: split(n, parts[1], heads), value: split(n, parts[2], heads)}
	var before convert.Value
	if !past.Absent() {
		before = arithmetic.Lengths(n, past, 3)
		p.key = n.Concat(2, arithmetic.Gather(n, past, n.IntValue(0), 0), p.key)
		p.value = n.Concat(2, arithmetic.Gather(n, past, n.IntValue(1), 0), p.value)
	}
	p.microsoft(n, mask, scoreBias, before, true)
	output, _ := p.attend(n, 0, false)
	output = join(n, output)
	if !n.Wants(1) {
		return []convert.Value{output} // keys and values can have different sizes
	}
	return []convert.Value{output, n.Concat(0, n.Unsqueeze(p.key, 0), n.Unsqueeze(p.value, 0))}
}

// joinedParts returns query, key and value. x has all three, joined in an axis, before a bias is
// added that can be absent.
func joinedParts(n *convert.Node, x, bias convert.Value, axis int64) []convert.Value {
	x = arithmetic.Sum(n, x, bias)
	sizes := n.IntList("qkv_hidden_sizes")
	if len(sizes) == 0 {
		return n.Split(x, axis, 3)
	}
	if len(sizes) != 3 {
		n.Fail("attribute qkv_hidden_sizes has %d numbers, expected 3", len(sizes))
	}
	return n.Layer("VariadicSplit", 1, nil, x, n.IntValue(axis), n.IntValues(sizes...)).Outputs(3)
}

// maskedPackedWeights is DecoderMaskedSelfAttention: Attention for one row.
func maskedPackedWeights(n *convert.Node) []convert.Value {
	if n.Has(8) {
		n.Fail("input 8, cache_indirection, is not supported")
	}
	return packedWeights(n)
}

// multiHead is MultiHeadAttention: query, key and value have three axes, [batch, rows, heads*size],
// or are joined in one input of five, [batch, rows, heads, 3, size], as key and value can be. Key
// and value of four axes, [batch, heads, rows, size], are those of another text.
func multiHead(n *convert.Node) []convert.Value {
	return projected(n, places{bias: 3, mask: 4, scoreBias: 5, past: 6, pastLength: 8, beams: 9})
}

// maskedMultiHead is DecoderMaskedMultiHeadAttention: MultiHeadAttention with other places of its
// inputs, for one row.
func maskedMultiHead(n *convert.Node) []convert.Value {
	refuse(n, 0, "output_qk")
	return projected(n, places{bias: 10, mask: 3, scoreBias: 4, past: 5, pastLength: 7, beams: 9})
}

// places has the numbers of inputs. past is that of the keys, and the values are behind it.
// pastLength says how much of them there is: they are buffers with room for the new ones then.
// beams says which text of a beam search the keys come from.
type places struct{ bias, mask, scoreBias, past, pastLength, beams int }

// projected converts MultiHeadAttention.
func projected(n *convert.Node, at places) []convert.Value {
	if n.Has(at.beams) {
		n.Fail("input %d, cache_indirection, is not supported", at.beams)
	}
	heads, query, key, value := n.Int("num_heads", 0), n.Input(0), n.Input(1), n.Input(2)
	element := func(v convert.Value, i int64) convert.Value { return arithmetic.Gather(n, v, n.IntValue(i), 3) }
	switch {
	case key.Absent():
		query, key, value = element(query, 0), element(query, 1), element(query, 2)
	case value.Absent():
		query, key, value = apart(n, query, heads), element(key, 0), element(key, 1)
	default:
		query = apart(n, query, heads)
	}
	isOther := n.Has(2) && n.Rank(key) == 4
	if n.Has(2) && !isOther {
		key, value = apart(n, key, heads), apart(n, value, heads)
	}
	if bias := n.Input(at.bias); !bias.Absent() {
		size := arithmetic.Multiply(n, arithmetic.Lengths(n, query, 3), n.IntValue(heads))
		parts := n.Layer("VariadicSplit", 1, nil, bias, n.IntValue(0), n.Concat(0, size, size, n.IntValues(-1)))
		if n.Failed() {
			return nil
		}
		biased := func(v convert.Value, i int) convert.Value {
			return arithmetic.Add(n, v, n.Reshape(parts.Output(i), n.IntValues(heads, -1), false))
		}
		query = biased(query, 0)
		if !isOther {
			key, value = biased(key, 1), biased(value, 2)
		}
	}
	p := &product{query: n.Transpose(query, 0, 2, 1, 3), key: key, value: value}
	if !isOther {
		p.key, p.value = n.Transpose(key, 0, 2, 1, 3), n.Transpose(value, 0, 2, 1, 3)
	}
	presentKey, presentValue, past := p.joinPast(n, at)
	p.microsoft(n, n.Input(at.mask), n.Input(at.scoreBias), past, false)
	output, _ := p.attend(n, 0, false)
	return []convert.Value{join(n, output), presentKey, presentValue}
}

// joinPast puts the keys and values of the past in front of the new ones. It returns both for the
// outputs, and the number of those of the past, which is absent if there is none.
func (p *product) joinPast(n *convert.Node, at places) (key, value, past convert.Value) {
	pastKey, pastValue := n.Input(at.past), n.Input(at.past+1)
	switch {
	case pastKey.Absent() != pastValue.Absent():
		n.Fail("past_key and past_value must be there both, or neither")
	case pastKey.Absent():
	case !n.Has(at.pastLength):
		past = arithmetic.Lengths(n, pastKey, 2)
		p.key, p.value = n.Concat(2, pastKey, p.key), n.Concat(2, pastValue, p.value)
	default:
		past = n.Reshape(n.Convert(n.Input(at.pastLength), ir.I64), n.IntValues(1), false)
		total := arithmetic.Add(n, past, arithmetic.Lengths(n, p.key, 2))
		w := write{axis: 2, capacity: arithmetic.Lengths(n, pastKey, 2)}
		key, value = written(n, pastKey, p.key, past, w), written(n, pastValue, p.value, past, w)
		p.key, p.value = firstRows(n, key, total), firstRows(n, value, total)
		return key, value, past
	}
	return p.key, p.value, past
}

// microsoft reads the attributes that Attention and MultiHeadAttention have in common, and adds a
// mask of integers and a bias. past is the number of keys in front of those of the queries; it can
// be absent.
func (p *product) microsoft(n *convert.Node, mask, bias, past convert.Value, hasStarts bool) {
	p.scale = float64(n.Float("scale", 0))
	if !mask.Absent() {
		p.add(n, p.filtered(n, p.kept(n, n.Convert(mask, ir.I64), hasStarts)))
	}
	if !bias.Absent() {
		p.add(n, bias)
	}
	if !n.Bool("unidirectional", false) {
		return
	}
	if !past.Absent() {
		p.window(n, p.places(n, past), -1, 0)
		return
	}
	queries, keys := arithmetic.Lengths(n, p.query, 2), arithmetic.Lengths(n, p.key, 2)
	same, known := n.Ints(n.Layer("Equal", 1, nil, queries, keys))
	isSame := known && len(same) == 1 && same[0] != 0
	if p.causal = isSame && p.bias.Absent(); p.causal {
		return
	}
	places := p.places(n, n.IntValue(0))
	if !isSame { // keys of another text: the last query has all of them, as with ONNX Runtime
		isLast := n.Layer("Equal", 1, nil, places, arithmetic.Subtract(n, queries, n.IntValue(1)))
		places = arithmetic.Select(n, isLast, arithmetic.Subtract(n, keys, n.IntValue(1)), places)
	}
	p.window(n, places, -1, 0)
}

// filtered returns a bias of 0 for what is kept, and of mask_filter_value for the rest. That is
// finite: a query without any key attends to all of them alike.
func (p *product) filtered(n *convert.Node, kept convert.Value) convert.Value {
	value := float64(n.Float("mask_filter_value", -10000))
	if t := n.Type(p.query); t == ir.F16 {
		value = max(value, -65504)
	}
	return arithmetic.Select(n, kept, n.Like(p.query, 0), n.Like(p.query, value))
}

// kept returns which keys a mask of integers keeps, in a shape that broadcasts to the scores. Its
// rank says what it has: the number of keys of each element of the batch, and where they start if
// hasStarts is true; or whether a key is kept, for each element of the batch, for each query of
// it, or for each query of a text of the largest length.
func (p *product) kept(n *convert.Node, mask convert.Value, hasStarts bool) convert.Value {
	rank := n.RequireRank(mask, "the mask")
	if rank == 1 {
		return p.between(n, mask, hasStarts)
	}
	mask = n.Layer("Greater", 1, nil, mask, n.IntValue(0))
	switch rank {
	case 2:
		return n.Unsqueeze(mask, 1, 2)
	case 3:
		return n.Unsqueeze(mask, 1)
	case 4:
		rows, columns := arithmetic.Lengths(n, p.query, 2), arithmetic.Lengths(n, p.key, 2)
		return n.Layer("Slice", 8, nil, mask, n.Concat(0, arithmetic.Subtract(n, columns, rows), n.IntValues(0)),
			n.Concat(0, columns, columns), n.IntValues(1, 1), n.IntValues(2, 3))
	}
	n.Fail("the mask has rank %d, expected 1 to 4", rank)
	return convert.Value{}
}

// between returns which keys are before the ends that limits has for the batch first and, if
// hasStarts is true, not before the starts behind them, which can be missing.
func (p *product) between(n *convert.Node, limits convert.Value, hasStarts bool) convert.Value {
	batch, columns := arithmetic.Lengths(n, p.query, 0), p.columns(n)
	part := func(v, from, to convert.Value) convert.Value {
		return n.Unsqueeze(n.Layer("Slice", 8, nil, v, from, to, n.IntValues(1), n.IntValues(0)), 1, 2, 3)
	}
	kept := n.Layer("Less", 1, nil, columns, part(limits, n.IntValues(0), batch))
	if !hasStarts {
		return kept
	}
	zeros := arithmetic.Broadcast(n, n.IntValue(0), batch)
	starts := part(n.Concat(0, limits, zeros), batch, arithmetic.Add(n, batch, batch))
	return n.Layer("LogicalAnd", 1, nil, kept, n.Layer("GreaterEqual", 1, nil, columns, starts))
}

// microsoftConv is CausalConvWithState, which has attributes for other layouts too.
func microsoftConv(n *convert.Node) []convert.Value {
	refuse(n, 1, "ndim", "dilation")
	refuse(n, 0, "channels_last", "state_window", "state_update_capacity", "state_length", "input_channel_offset", "input_channels")
	return causalConv(n)
}

// microsoftRotary is RotaryEmbedding: position_ids has one number, the position of the first row,
// or one for each row. That texts are packed behind each other makes no difference.
func microsoftRotary(n *convert.Node) []convert.Value {
	r, heads := rotationOf(n)
	v, ids := n.Input(0), n.Input(1)
	rank := n.RequireRank(v, "input")
	axis := int64(rank - 2) // of rows: they are before heads in three axes
	if n.RequireRank(ids, "position_ids") == 1 {
		if rank == 3 {
			axis = 1
		}
		ids = arithmetic.Add(n, arithmetic.Range(n, arithmetic.Lengths(n, v, axis), ir.I64), n.Convert(ids, ir.I64))
	}
	cosine, sine := arithmetic.Gather(n, n.Input(2), ids, 0), arithmetic.Gather(n, n.Input(3), ids, 0)
	if rank == 4 {
		return []convert.Value{r.apply(n, v, n.Unsqueeze(cosine, -3), n.Unsqueeze(sine, -3))}
	}
	rotated := r.apply(n, r.heads(n, v, heads, n.Input(2)), n.Unsqueeze(cosine, -2), n.Unsqueeze(sine, -2))
	return []convert.Value{n.Reshape(rotated, n.ShapeOf(v), false)}
}

// heads returns [batch, rows, heads*size] as [batch, rows, heads, size]. Without a number of heads,
// a head is as long as a table of angles says.
func (r rotation) heads(n *convert.Node, v convert.Value, heads int64, angles convert.Value) convert.Value {
	if heads > 0 {
		return apart(n, v, heads)
	}
	size := arithmetic.Multiply(n, arithmetic.Lengths(n, angles, 1), n.IntValue(2))
	return n.Reshape(v, n.Concat(0, n.IntValues(0, 0, -1), size), true)
}
