package attention

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// groupQuery is GroupQueryAttention, which text models have in each layer. seqlens_k is the number
// of the last key of each element of the batch, the new ones included; total_sequence_length is the
// largest number of keys. past_key and past_value end with the past, or are buffers with room
// behind it: the outputs 1 and 2 are as long as they are, and at least as long as the new keys
// need. Rows of elements that are shorter than others are padded on the right.
//
// A past that is a variable of the model, without a known length, only grows. Texts that are
// shorter than others are padded on the left then, so that all have their new rows at the end.
func groupQuery(n *convert.Node) []convert.Value {
	g := grouped{n: n, heads: n.Int("num_heads", 0), kvHeads: n.Int("kv_num_heads", 0)}
	if !g.check() {
		return nil
	}
	query, key, value := g.projections()
	rows, grows := arithmetic.Lengths(n, query, 2), g.grows()
	last, total := n.Convert(n.Input(5), ir.I64), n.Reshape(n.Convert(n.Input(6), ir.I64), n.IntValues(1), false)
	start := arithmetic.Add(n, last, arithmetic.Subtract(n, n.IntValue(1), rows))
	if !grows {
		start = g.start(rows, last, total)
	}
	query, key = g.normalized(query, 14, "q_norm_epsilon"), g.normalized(key, 15, "k_norm_epsilon")
	if n.Bool("do_rotary", false) {
		query, key = g.rotated(query, key, table{n.Input(7), n.Input(8), n.Input(9)}, start)
	}
	p := &product{query: query, scale: float64(n.Float("scale", 0)), softcap: float64(n.Float("softcap", 0))}
	if grows {
		key, value = n.Concat(2, n.Input(3), key), n.Concat(2, n.Input(4), value)
		p.key, p.value = repeated(n, key, query), repeated(n, value, query)
		g.growingMask(p, rows, last, total)
	} else {
		key, value = g.appended(3, key, start, total), g.appended(4, value, start, total)
		p.key, p.value = repeated(n, firstRows(n, key, total), query), repeated(n, firstRows(n, value, total), query)
		g.mask(p, n.Unsqueeze(start, 1, 2, 3), n.Unsqueeze(last, 1, 2, 3))
	}
	if n.Has(10) {
		p.add(n, n.Input(10))
	}
	switch {
	case n.Has(11):
		p.sink = n.Reshape(n.Input(11), n.IntValues(1, -1, 1, 1), false)
	case n.Int("smooth_softmax", 0) > 0:
		p.sink = arithmetic.Broadcast(n, n.Like(query, 0), n.IntValues(1, g.heads, 1, 1))
	}
	output, _ := p.attend(n, 0, false)
	return []convert.Value{join(n, output), key, value}
}

// grouped converts a GroupQueryAttention or a SparseAttention.
type grouped struct {
	n              *convert.Node
	heads, kvHeads int64
}

// check reports whether the node has what can be converted; otherwise there is an error.
func (g *grouped) check() bool {
	n := g.n
	refuse(n, 0, "sliding_window_cache", "qk_output")
	g.checkHeads()
	for _, name := range []string{"k_quant_type", "v_quant_type"} {
		if t := n.Text(name, "NONE"); t != "NONE" {
			n.Fail("attribute %s is %q: a cache of integers is not supported", name, t)
		}
	}
	n.RequireInput(5)
	n.RequireInput(6)
	switch {
	case n.Has(3) != n.Has(4):
		n.Fail("past_key and past_value must be there both, or neither")
	case n.Has(16):
		n.Fail("input 16, query_seqlens, is not supported")
	}
	return !n.Failed()
}

// checkHeads makes it an error if the numbers of heads, or what is projected to them, do not fit.
func (g *grouped) checkHeads() {
	n := g.n
	if g.heads <= 0 || g.kvHeads <= 0 || g.heads%g.kvHeads != 0 {
		n.Fail("there are %d heads for queries and %d for keys, expected a multiple", g.heads, g.kvHeads)
	}
	if n.Has(1) != n.Has(2) {
		n.Fail("key and value must be there both, or neither")
	}
}

// start returns the positions of the first rows of the elements of the batch, whose last rows are
// at last. The first rows of a text are at 0, whatever last says: rows behind it are padding.
func (g *grouped) start(rows, last, total convert.Value) convert.Value {
	n := g.n
	isFirst := n.Layer("Equal", 1, nil, rows, total)
	start := arithmetic.Add(n, last, arithmetic.Subtract(n, n.IntValue(1), rows))
	return n.Reshape(arithmetic.Select(n, isFirst, n.IntValue(0), start), n.IntValues(-1), false)
}

// grows reports whether the past is that of variables which become longer with each inference.
func (g *grouped) grows() bool {
	n := g.n
	key := n.Shape(n.Input(3))
	return n.IsState(n.Input(3)) && n.IsState(n.Input(4)) && key.Rank() == 4 && !key.At(2).IsStatic()
}

// projections returns query, key and value with an axis of heads. They can be joined in input 0.
func (g *grouped) projections() (query, key, value convert.Value) {
	n := g.n
	if n.Has(1) {
		return split(n, n.Input(0), g.heads), split(n, n.Input(1), g.kvHeads), split(n, n.Input(2), g.kvHeads)
	}
	all := split(n, n.Input(0), g.heads+2*g.kvHeads)
	parts := n.Layer("VariadicSplit", 1, nil, all, n.IntValue(1), n.IntValues(g.heads, g.kvHeads, g.kvHeads))
	if n.Failed() {
		return parts, parts, parts
	}
	return parts, parts.Output(1), parts.Output(2)
}

// normalized divides each head by the root of the mean of its squares if there are weights for it.
func (g *grouped) normalized(v convert.Value, weights int, epsilon string) convert.Value {
	n := g.n
	if !n.Has(weights) {
		return v
	}
	t, wide := n.Type(v), n.Convert(v, ir.F32)
	square := arithmetic.Multiply(n, wide, wide)
	squares := n.Layer("ReduceMean", 1, convert.Attributes("keep_dims", true), square, n.IntValue(-1))
	smallest := n.Scalar(ir.F32, float64(n.Float(epsilon, n.Float("qk_norm_epsilon", 1e-6))))
	y := arithmetic.Divide(n, wide, n.Layer("Sqrt", 1, nil, arithmetic.Add(n, squares, smallest)))
	return n.Convert(arithmetic.Multiply(n, y, n.Convert(n.Input(weights), ir.F32)), t)
}

// table has the cosines and sines of all positions, and which of them the rows have. position_ids
// can be absent.
type table struct{ cosine, sine, ids convert.Value }

// rotated rotates query and key by the angles of their positions: those of position_ids, or those
// from start on.
func (g *grouped) rotated(query, key convert.Value, t table, start convert.Value) (convert.Value, convert.Value) {
	n := g.n
	if t.cosine.Absent() || t.sine.Absent() {
		n.Fail("cos_cache or sin_cache is absent, and do_rotary requires both")
		return query, key
	}
	if t.ids.Absent() {
		t.ids = arithmetic.Add(n, n.Unsqueeze(start, 1), arithmetic.Range(n, arithmetic.Lengths(n, query, 2), ir.I64))
		// Rows of padding can be in front of the table, or behind it.
		t.ids = arithmetic.Clamp(n, t.ids, n.IntValue(0), arithmetic.Subtract(n, arithmetic.Lengths(n, t.cosine, 0), n.IntValue(1)))
	}
	r := rotation{interleaved: n.Bool("rotary_interleaved", false)}
	if shape := n.Shape(t.cosine); shape.RankKnown() && shape.Rank() == 2 && shape.At(1).IsStatic() {
		r.size = 2 * shape.At(1).Max
	}
	cosine := n.Unsqueeze(arithmetic.Gather(n, t.cosine, t.ids, 0), 1)
	sine := n.Unsqueeze(arithmetic.Gather(n, t.sine, t.ids, 0), 1)
	return r.apply(n, query, cosine, sine), r.apply(n, key, cosine, sine)
}

// appended returns the keys or values of the past, an input, with new ones from start on.
func (g *grouped) appended(past int, v, start, total convert.Value) convert.Value {
	n := g.n
	if !n.Has(past) {
		return v
	}
	capacity := arithmetic.Maximum(n, arithmetic.Lengths(n, n.Input(past), 2), total)
	return written(n, n.Input(past), v, start, write{axis: 2, capacity: capacity})
}

// mask allows queries from start on the keys that are not behind them or, if the attention is not
// causal, those up to the last one. Rows of padding are where the last key is.
func (g *grouped) mask(p *product, start, last convert.Value) {
	n := g.n
	if !n.Bool("causal", true) {
		p.allow(n, n.Layer("LessEqual", 1, nil, p.columns(n), last))
		return
	}
	p.window(n, arithmetic.Minimum(n, p.places(n, start), last), g.window(), 0)
}

// window returns the number of keys before its own that a query has; negative for all.
func (g *grouped) window() int64 {
	window := g.n.Int("local_window_size", -1)
	if window > 0 {
		window-- // the query's own key counts
	}
	return window
}

// growingMask is mask for keys that have the padding in front. It is computed from values that all
// layers of a model share, so that they share one mask. Rows of padding have at least their own
// keys: nothing reads them, but a NaN would reach others by a product with 0.
func (g *grouped) growingMask(p *product, rows, last, total convert.Value) {
	n := g.n
	columns := arithmetic.Range(n, total, ir.I64)
	places := arithmetic.Add(n, n.Unsqueeze(arithmetic.Range(n, rows, ir.I64), 1), arithmetic.Subtract(n, total, rows))
	padding := arithmetic.Subtract(n, arithmetic.Subtract(n, total, n.IntValue(1)), n.Unsqueeze(last, 1, 2, 3))
	p.allow(n, n.Layer("GreaterEqual", 1, nil, columns, arithmetic.Minimum(n, places, padding)))
	if !n.Bool("causal", true) {
		return
	}
	p.allow(n, n.Layer("LessEqual", 1, nil, columns, places))
	if window := g.window(); window >= 0 {
		p.allow(n, n.Layer("GreaterEqual", 1, nil, columns, arithmetic.Subtract(n, places, n.IntValue(window))))
	}
}
