package attention

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// sparse is SparseAttention: GroupQueryAttention over the keys of some blocks. Rows and columns of
// the scores are divided into blocks, and layouts list the columns of each row of blocks: those
// from one of block_row_indices [layouts, rows+1] to the next in block_col_indices [layouts, n].
// Heads take the layouts in turn. past_key and past_value are buffers with room for the new keys.
func sparse(n *convert.Node) []convert.Value {
	g := grouped{n: n, heads: n.Int("num_heads", 0), kvHeads: n.Int("kv_num_heads", 0)}
	g.checkHeads()
	n.RequireAttribute("sparse_block_size")
	size := n.Int("sparse_block_size", 1)
	if size < 1 {
		n.Fail("attribute sparse_block_size is %d, expected at least 1", size)
	}
	for i := 3; i < 9; i++ {
		n.RequireInput(i)
	}
	if n.Failed() {
		return nil
	}
	query, key, value := g.projections()
	total := n.Reshape(n.Convert(n.Input(7), ir.I64), n.IntValues(1), false)
	last := arithmetic.Subtract(n, n.Convert(n.Input(8), ir.I64), n.IntValue(1))
	start := g.start(arithmetic.Lengths(n, query, 2), last, total)
	if n.Bool("do_rotary", false) {
		query, key = g.rotated(query, key, table{cosine: n.Input(9), sine: n.Input(10)}, start)
	}
	key, value = g.appended(3, key, start, total), g.appended(4, value, start, total)
	attended := func(v convert.Value) convert.Value { return repeated(n, firstRows(n, v, total), query) }
	p := &product{query: query, key: attended(key), value: attended(value), scale: float64(n.Float("scale", 0))}
	places := arithmetic.Minimum(n, p.places(n, n.Unsqueeze(start, 1, 2, 3)), n.Unsqueeze(last, 1, 2, 3))
	p.window(n, places, -1, 0)
	p.allow(n, g.blocks(n.Squeeze(arithmetic.Divide(n, places, n.IntValue(size)), 1, 3), arithmetic.Divide(n, p.columns(n), n.IntValue(size))))
	output, _ := p.attend(n, 0, false)
	return []convert.Value{join(n, output), key, value}
}

// blocks returns which blocks the heads have, [batch, heads, rows, columns], for the rows [batch,
// rows] and columns of blocks that queries and keys are in.
func (g *grouped) blocks(rows, columns convert.Value) convert.Value {
	n := g.n
	ends, listed := n.Convert(n.Input(5), ir.I64), n.Convert(n.Input(6), ir.I64)
	places := arithmetic.Range(n, arithmetic.Lengths(n, listed, 1), ir.I64)
	count := arithmetic.Subtract(n, arithmetic.Lengths(n, ends, 1), n.IntValue(1))
	bounds := func(from, to convert.Value) convert.Value {
		return n.Unsqueeze(n.Layer("Slice", 8, nil, ends, from, to, n.IntValues(1), n.IntValues(1)), 2)
	}
	// [layouts, rows, n] are those of the list that belong to a row, and [layouts, n, columns] those
	// that are a column: the product of both counts them.
	ofRow := n.Layer("LogicalAnd", 1, nil,
		n.Layer("GreaterEqual", 1, nil, places, bounds(n.IntValues(0), count)),
		n.Layer("Less", 1, nil, places, bounds(n.IntValues(1), arithmetic.Add(n, count, n.IntValue(1)))))
	ofColumn := n.Layer("Equal", 1, nil, n.Unsqueeze(listed, 2), arithmetic.Range(n, count, ir.I64))
	found := arithmetic.MatMul(n, n.Convert(ofRow, ir.F32), n.Convert(ofColumn, ir.F32), false, false)
	found = n.Layer("Greater", 1, nil, found, n.Scalar(ir.F32, 0))
	found = n.Transpose(arithmetic.Gather(n, arithmetic.Gather(n, found, rows, 1), columns, 3), 1, 0, 2, 3)
	repeats := n.Concat(0, n.IntValues(1), arithmetic.Divide(n, n.IntValue(g.heads), arithmetic.Lengths(n, ends, 0)), n.IntValues(1, 1))
	return n.Layer("Tile", 1, nil, found, repeats)
}
