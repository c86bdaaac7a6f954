package normalization

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/quantization"
)

// embedding is what EmbedLayerNormalization normalises: the sum of the embeddings of words, of
// positions, and of segments. segments and mask can be absent, and without positions they are 0, 1,
// 2 and so on.
type embedding struct {
	words, segments, positions convert.Value // numbers of rows of the tables
	wordTable, segmentTable    table
	positionTable              table
	gamma, beta, mask          convert.Value
}

// table is a table of rows, which are quantized if it has a scale.
type table struct {
	rows convert.Value
	quantization.Linear
}

// tableAt returns the table in an input, whose scale and zero point are in others if it is
// quantized.
func tableAt(n *convert.Node, input, scale, zero int) table {
	t := table{rows: n.Input(input)}
	if scale != 0 && n.Has(input) {
		t.Scale, t.Zero = arithmetic.Scalar(n, n.Input(scale)), arithmetic.Scalar(n, n.Input(zero))
	}
	return t
}

// pick returns rows.
func (t table) pick(n *convert.Node, ids convert.Value) convert.Value {
	return t.floats(n, arithmetic.Gather(n, t.rows, ids, 0))
}

// floats returns the floats that elements of the table stand for.
func (t table) floats(n *convert.Node, v convert.Value) convert.Value {
	if t.Scale.Absent() {
		return v
	}
	return t.Dequantize(n, v)
}

// embed is EmbedLayerNormalization. Output 1 is the number of words that a mask of each row keeps,
// 0 without a mask; output 2 is the sum.
func embed(n *convert.Node) []convert.Value {
	requireInputs(n, 2, 3, 5, 6)
	e := embedding{
		words: n.Input(0), segments: n.Input(1), positions: n.Input(8), mask: n.Input(7), gamma: n.Input(5), beta: n.Input(6),
		wordTable: tableAt(n, 2, 0, 0), positionTable: tableAt(n, 3, 0, 0), segmentTable: tableAt(n, 4, 0, 0),
	}
	return e.normalized(n)
}

// quantizedEmbed is embed with tables, scale and bias of 8 bits.
func quantizedEmbed(n *convert.Node) []convert.Value {
	requireInputs(n, 2, 3, 5, 6, 8, 9, 11, 12, 13, 14, 16, 17)
	if n.Has(1) {
		requireInputs(n, 10, 15)
	}
	e := embedding{
		words: n.Input(0), segments: n.Input(1), mask: n.Input(7),
		wordTable: tableAt(n, 2, 8, 13), positionTable: tableAt(n, 3, 9, 14), segmentTable: tableAt(n, 4, 10, 15),
	}
	gamma, beta := tableAt(n, 5, 11, 16), tableAt(n, 6, 12, 17)
	e.gamma, e.beta = gamma.floats(n, gamma.rows), beta.floats(n, beta.rows)
	return e.normalized(n)
}

// requireInputs makes it an error if one of the inputs is absent.
func requireInputs(n *convert.Node, list ...int) {
	for _, i := range list {
		n.RequireInput(i)
	}
}

// normalized returns the outputs.
func (e *embedding) normalized(n *convert.Node) []convert.Value {
	if e.segments.Absent() != e.segmentTable.rows.Absent() {
		n.Fail("segment_ids and segment_embedding must be there both, or neither")
		return nil
	}
	if e.positions.Absent() {
		e.positions = arithmetic.Range(n, arithmetic.Length(n, e.words, 1), ir.I64)
	}
	x := arithmetic.Sum(n, e.wordTable.pick(n, e.words), e.positionTable.pick(n, e.positions))
	if !e.segments.Absent() {
		x = arithmetic.Sum(n, x, e.segmentTable.pick(n, e.segments))
	}
	y := layerOf(n, x, e.gamma, e.beta, n.IntValues(-1), n.Float("epsilon", 1e-12))
	var kept convert.Value
	switch {
	case !n.Wants(1):
	case e.mask.Absent():
		kept = arithmetic.Broadcast(n, n.Scalar(ir.I32, 0), n.Slice(n.ShapeOf(e.words), 0, 0, 1))
	default:
		kept = n.Layer("ReduceSum", 1, convert.Attributes("keep_dims", false), n.Convert(e.mask, ir.I32), n.IntValue(1))
	}
	return []convert.Value{y[0], kept, x}
}
