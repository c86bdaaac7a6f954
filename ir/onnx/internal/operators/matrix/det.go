package matrix

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// maxDetRows limits the rows of a matrix, each of which costs about twenty layers.
const maxDetRows = 256

// det gives the determinants of matrices, by elimination: the product of the pivots, with the sign
// of the order of the rows. The pivot of a step is the element of greatest magnitude in the first
// column, as in LU decomposition.
func det(n *convert.Node) []convert.Value {
	x := n.Input(0)
	rows := detRows(n, x)
	if n.Failed() {
		return nil
	}
	batch := n.Slice(n.ShapeOf(x), 0, 0, -2)
	left := n.Reshape(x, n.IntValues(-1, rows, rows), false)
	product := n.Like(x, 1)
	for k := rows; k > 0; k-- {
		if n.Failed() {
			return nil
		}
		var pivot convert.Value
		left, pivot = eliminate(n, left, k)
		product = arithmetic.Multiply(n, product, pivot)
	}
	return []convert.Value{n.Reshape(product, batch, false)}
}

// detRows returns the number of rows of matrices, which must be known.
func detRows(n *convert.Node, x convert.Value) int64 {
	rank := n.RequireRank(x, "input 0")
	if n.Failed() {
		return 0
	}
	if rank < 2 {
		n.Fail("the rank is %d, expected at least 2", rank)
		return 0
	}
	rows, columns := n.Shape(x).At(rank-2), n.Shape(x).At(rank-1)
	if !rows.IsStatic() {
		rows = columns
	}
	switch {
	case !rows.IsStatic():
		n.Fail("the number of rows must be known")
	case columns.IsStatic() && columns != rows:
		n.Fail("matrices of %v rows and %v columns have no determinant", rows, columns)
	case rows.Min < 1 || rows.Min > maxDetRows:
		n.Fail("matrices of %d rows, expected 1 to %d", rows.Min, maxDetRows)
	}
	return rows.Min
}

// eliminate takes the row of the pivot out of matrices [batch, k, k], and the first column. It
// returns the rest [batch, k-1, k-1] and the pivots [batch, 1], negative if a row was moved.
func eliminate(n *convert.Node, left convert.Value, k int64) (rest, pivot convert.Value) {
	if k == 1 {
		return convert.Value{}, n.Squeeze(left, 2)
	}
	column := n.Squeeze(n.Slice(left, 2, 0, 1), 2) // [batch, k]
	attributes := convert.Attributes("axis", 1, "mode", "max", "sort", "value", "index_element_type", ir.I64, "stable", true)
	largest := n.Layer("TopK", 11, attributes, n.Layer("Abs", 1, nil, column), n.IntValue(1))
	if n.Failed() {
		return convert.Value{}, convert.Value{}
	}
	place := largest.Output(1) // [batch, 1]
	row := n.Layer("Gather", 8, convert.Attributes("batch_dims", 1), left, place, n.IntValue(1))
	first := n.Slice(left, 1, 0, 1)
	// The first row goes to where the pivot was, which is behind it.
	numbers := arithmetic.Range(n, n.IntValue(k), ir.I64)
	moved := n.Unsqueeze(n.Layer("Equal", 1, nil, numbers, place), 2)
	others := n.Slice(arithmetic.Select(n, moved, first, left), 1, 1, math.MaxInt64) // [batch, k-1, k]

	head := n.Slice(row, 2, 0, 1) // [batch, 1, 1]
	none := n.Layer("Equal", 1, nil, head, n.Like(head, 0))
	factors := arithmetic.Divide(n, n.Slice(others, 2, 0, 1), arithmetic.Select(n, none, n.Like(head, 1), head))
	tail := func(v convert.Value) convert.Value { return n.Slice(v, 2, 1, math.MaxInt64) }
	rest = arithmetic.Subtract(n, tail(others), arithmetic.Multiply(n, factors, tail(row)))

	same := n.Layer("Equal", 1, nil, place, n.IntValue(0))
	pivot = n.Squeeze(head, 2)
	return rest, arithmetic.Select(n, same, pivot, arithmetic.Times(n, pivot, -1))
}
