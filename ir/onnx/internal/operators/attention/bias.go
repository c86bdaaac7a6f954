package attention

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// relativeBias is RelativePositionBias, which T5 adds to its scores: an element of a table for each
// head and each distance between query and key. Distances of half of the buckets have one each, the
// others share them on a scale of logarithms up to max_distance. The table [buckets, heads] is
// stored by columns.
func relativeBias(n *convert.Node) []convert.Value {
	n.RequireAttribute("max_distance")
	t := n.Input(0)
	table := n.Reshape(t, n.Concat(0, arithmetic.Lengths(n, t, 1), arithmetic.Lengths(n, t, 0)), false)
	places := func(input int) convert.Value { return arithmetic.Range(n, n.Input(input), ir.I64) }
	distance := arithmetic.Subtract(n, places(2), n.Unsqueeze(places(1), 1))
	buckets, first := arithmetic.Lengths(n, t, 0), n.IntValue(0)
	if n.Bool("is_bidirectional", false) {
		buckets = arithmetic.Divide(n, buckets, n.IntValue(2))
		isBehind := n.Layer("Greater", 1, nil, distance, n.IntValue(0))
		first = arithmetic.Select(n, isBehind, buckets, n.IntValue(0))
	}
	distance = n.Layer("Abs", 1, nil, distance)
	exact := arithmetic.Divide(n, buckets, n.IntValue(2))
	floats := func(v convert.Value) convert.Value { return n.Convert(v, ir.F32) }
	log := func(v convert.Value) convert.Value {
		return n.Layer("Log", 1, nil, arithmetic.Divide(n, v, floats(exact)))
	}
	longest := n.Scalar(ir.F32, float64(n.Int("max_distance", 1)))
	share := arithmetic.Divide(n, log(floats(arithmetic.Maximum(n, distance, exact))), log(longest))
	large := n.Convert(arithmetic.Multiply(n, share, floats(arithmetic.Subtract(n, buckets, exact))), ir.I64)
	large = arithmetic.Minimum(n, arithmetic.Add(n, exact, large), arithmetic.Subtract(n, buckets, n.IntValue(1)))
	bucket := arithmetic.Add(n, first, arithmetic.Select(n, n.Layer("Less", 1, nil, distance, exact), distance, large))
	return []convert.Value{n.Unsqueeze(arithmetic.Gather(n, table, bucket, 1), 0)}
}

// gatedBias is GatedRelativePositionBias: a bias of the scores times a gate that depends on the
// query, [batch, rows, heads*size], or packed tokens if token_offset says where they are.
//
//	u, r = sigmoid(sums of both halves of ((query+query_bias)*weight + bias))
//	output = (u*(r*eco_a-1) + 2) * rel_pos
func gatedBias(n *convert.Node) []convert.Value {
	query := arithmetic.Add(n, n.Input(0), n.Input(1))
	if n.Has(6) {
		query = packing{offsets: n.Convert(n.Input(6), ir.I64)}.restored(n, query)
	}
	query = split(n, query, n.Int("num_heads", 0))
	gates := arithmetic.MatMul(n, query, n.Input(3), false, false)
	gates = n.Reshape(arithmetic.Add(n, gates, n.Input(4)), n.IntValues(0, 0, 0, 2, -1), true)
	gates = n.Layer("Sigmoid", 1, nil, n.Layer("ReduceSum", 1, convert.Attributes("keep_dims", false), gates, n.IntValue(-1)))
	u, r := n.Slice(gates, 3, 0, 1), n.Slice(gates, 3, 1, 2)
	gate := arithmetic.Multiply(n, u, arithmetic.Plus(n, arithmetic.Multiply(n, r, n.Input(5)), -1))
	return []convert.Value{arithmetic.Multiply(n, arithmetic.Plus(n, gate, 2), n.Input(2))}
}
