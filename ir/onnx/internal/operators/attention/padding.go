package attention

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// packing says where the tokens of texts are that are packed without their padding: offsets [batch,
// rows] has the places of the tokens in the texts with padding, all of them behind each other, and
// then those of the padding. ends [batch+1] has the number of tokens in front of each text.
type packing struct{ offsets, ends convert.Value }

// removePadding packs texts [batch, rows, size]. It returns the tokens, and where they are: see
// packing. Output 3 is the length of the longest text.
func removePadding(n *convert.Node) []convert.Value {
	x, counts := n.Input(0), n.Convert(n.Input(1), ir.I64)
	shape := n.ShapeOf(x)
	tokens, offsets := placesOf(n, counts, arithmetic.Lengths(n, x, 1))
	packed := arithmetic.Gather(n, n.Reshape(x, n.Concat(0, n.IntValues(-1), n.Slice(shape, 0, 2, 3)), false), tokens, 0)
	sums := n.Layer("CumSum", 3, convert.Attributes("exclusive", false, "reverse", false), n.Concat(0, n.IntValues(0), counts), n.IntValue(0))
	longest := n.Layer("ReduceMax", 1, convert.Attributes("keep_dims", true), counts, n.IntValue(0))
	return []convert.Value{packed, n.Convert(offsets, ir.I32), n.Convert(sums, ir.I32), n.Convert(longest, ir.I32)}
}

// placesOf returns the places of the tokens of texts with counts of them, in texts with padding of
// a number of rows, and the offsets of a packing.
func placesOf(n *convert.Node, counts, rows convert.Value) (tokens, offsets convert.Value) {
	isToken := n.Layer("Less", 1, nil, arithmetic.Range(n, rows, ir.I64), n.Unsqueeze(counts, 1))
	places := func(v convert.Value) convert.Value {
		flat := n.Reshape(v, n.IntValues(-1), false)
		return n.Squeeze(n.Layer("NonZero", 3, convert.Attributes("output_type", ir.I64), flat), 0)
	}
	tokens = places(isToken)
	padding := places(n.Layer("LogicalNot", 1, nil, isToken))
	return tokens, n.Reshape(n.Concat(0, tokens, padding), n.ShapeOf(isToken), false)
}

// packingOf returns the packing of texts that end at ends [batch+1], the first of which is 0.
func packingOf(n *convert.Node, ends convert.Value) packing {
	ends = n.Convert(ends, ir.I64)
	counts := textLengths(n, ends)
	_, offsets := placesOf(n, counts, n.Layer("ReduceMax", 1, convert.Attributes("keep_dims", true), counts, n.IntValue(0)))
	return packing{offsets, ends}
}

// textLengths returns the lengths of texts that end at ends [batch+1], of i64.
func textLengths(n *convert.Node, ends convert.Value) convert.Value {
	return arithmetic.Subtract(n, n.Slice(ends, 0, 1, math.MaxInt64), n.Slice(ends, 0, 0, -1))
}

// restorePadding is the inverse of removePadding: padding is 0.
func restorePadding(n *convert.Node) []convert.Value {
	return []convert.Value{packing{offsets: n.Convert(n.Input(1), ir.I64)}.restored(n, n.Input(0))}
}

// tokens returns the offsets of the tokens, without those of the padding.
func (p packing) tokens(n *convert.Node, packed convert.Value) convert.Value {
	return n.Layer("Slice", 8, nil, n.Reshape(p.offsets, n.IntValues(-1), false), n.IntValues(0), arithmetic.Lengths(n, packed, 0), n.IntValues(1), n.IntValues(0))
}

// restored returns packed tokens [tokens, ...] as texts [batch, rows, ...].
func (p packing) restored(n *convert.Node, packed convert.Value) convert.Value {
	shape, rest := n.ShapeOf(p.offsets), n.Slice(n.ShapeOf(packed), 0, 1, math.MaxInt64)
	zeros := arithmetic.Broadcast(n, n.Like(packed, 0), n.Concat(0, n.Elements(p.offsets, 0, 2), rest))
	texts := n.Layer("ScatterUpdate", 3, nil, zeros, p.tokens(n, packed), packed, n.IntValue(0))
	return n.Reshape(texts, n.Concat(0, shape, rest), false)
}

// removed returns the tokens of texts [batch, rows, size] as they are packed in packed.
func (p packing) removed(n *convert.Node, texts, packed convert.Value) convert.Value {
	flat := n.Reshape(texts, n.Concat(0, n.IntValues(-1), n.Slice(n.ShapeOf(texts), 0, 2, 3)), false)
	return arithmetic.Gather(n, flat, p.tokens(n, packed), 0)
}

// attend returns the attention of packed queries, keys and values [tokens, heads, size]: each token
// attends to those of its own text.
func (p packing) attend(n *convert.Node, query, key, value, bias convert.Value) convert.Value {
	text := func(packed convert.Value) convert.Value { return n.Transpose(p.restored(n, packed), 0, 2, 1, 3) }
	a := &product{query: text(query), key: text(key), value: text(value), scale: float64(n.Float("scale", 0))}
	counts := textLengths(n, n.Convert(p.ends, ir.I64))
	a.allow(n, n.Layer("Less", 1, nil, a.columns(n), n.Unsqueeze(counts, 1, 2, 3)))
	if !bias.Absent() {
		a.add(n, bias)
	}
	output, _ := a.attend(n, 0, false)
	return p.removed(n, join(n, output), query)
}

// headsOf returns [tokens, heads*size] as [tokens, heads, size].
func headsOf(n *convert.Node, v convert.Value, heads int64) convert.Value {
	if heads <= 0 {
		n.Fail("the number of heads is %d, expected at least 1", heads)
	}
	return n.Reshape(v, n.IntValues(0, heads, -1), true)
}

// packedAttention is Attention of packed tokens.
func packedAttention(n *convert.Node) []convert.Value {
	heads := n.Int("num_heads", 0)
	parts := joinedParts(n, arithmetic.MatMul(n, n.Input(0), n.Input(1), false, false), n.Input(2), 1)
	for i := range parts {
		parts[i] = headsOf(n, parts[i], heads)
	}
	p := packing{n.Convert(n.Input(3), ir.I64), n.Input(4)}
	return []convert.Value{p.attend(n, parts[0], parts[1], parts[2], n.Input(5))}
}

// packedMultiHead is MultiHeadAttention of packed tokens: query, key and value are [tokens,
// heads*size], or joined in one input [tokens, heads, 3, size].
func packedMultiHead(n *convert.Node) []convert.Value {
	n.RequireInput(4)
	n.RequireInput(5)
	if n.Has(1) != n.Has(2) {
		n.Fail("key and value must be there both, or neither")
	}
	heads := n.Int("num_heads", 0)
	var parts [3]convert.Value
	for i := range parts {
		if n.Has(1) {
			parts[i] = headsOf(n, n.Input(i), heads)
		} else {
			parts[i] = arithmetic.Gather(n, n.Input(0), n.IntValue(int64(i)), 2)
		}
	}
	if n.Has(3) {
		size := arithmetic.Multiply(n, arithmetic.Lengths(n, parts[0], 2), n.IntValue(heads))
		biases := n.Layer("VariadicSplit", 1, nil, n.Input(3), n.IntValue(0), n.Concat(0, size, size, n.IntValues(-1)))
		for i := range parts {
			parts[i] = arithmetic.Add(n, parts[i], n.Reshape(biases.Output(i), n.IntValues(heads, -1), false))
		}
	}
	p := packing{n.Convert(n.Input(4), ir.I64), n.Input(5)}
	return []convert.Value{p.attend(n, parts[0], parts[1], parts[2], n.Input(6))}
}
