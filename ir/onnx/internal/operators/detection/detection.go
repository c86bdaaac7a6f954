// Package detection converts operators that select boxes: NonMaxSuppression.
package detection

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	return []convert.Rule{
		{Operator: "NonMaxSuppression", Versions: []int{10, 11}, Inputs: infer.Arity{Min: 2, Max: 5}, Outputs: infer.Arity{Min: 1, Max: 1}, Convert: nonMaxSuppression},
	}
}

// nonMaxSuppression selects the boxes with the highest scores that do not overlap one selected
// before, class by class. Without a number of boxes, none is selected; without a threshold of
// scores, all are candidates.
func nonMaxSuppression(n *convert.Node) []convert.Value {
	encoding := "corner"
	if n.Bool("center_point_box", false) {
		encoding = "center"
	}
	attributes := convert.Attributes("box_encoding", encoding, "sort_result_descending", false, "output_type", ir.I64)
	limit := n.IntValue(0)
	if n.Has(2) {
		limit = arithmetic.Scalar(n, n.Input(2))
	}
	found := n.Layer("NonMaxSuppression", 9, attributes, n.Input(0), n.Input(1), limit, overlap(n), lowest(n))
	if n.Failed() {
		return nil
	}
	// Other programs that run the layer fill the rows behind the number of boxes.
	count := found.Output(2)
	rows := n.Layer("Slice", 8, nil, found, n.IntValues(0), n.Reshape(n.Convert(count, ir.I64), n.IntValues(1), false), n.IntValues(1), n.IntValues(0))
	return []convert.Value{rows}
}

// overlap returns the threshold of overlap. The layer drops a box at the threshold, and ONNX only
// beyond it: so it is the next number of f32. In f64, the factor is more than half of the last bit
// above 1, and less than one and a half for all numbers. After 0 comes the smallest number that
// processors do not take for 0.
func overlap(n *convert.Node) convert.Value {
	threshold := n.Scalar(ir.F32, 0)
	if n.Has(3) {
		threshold = arithmetic.Scalar(n, n.Input(3))
	}
	next := arithmetic.Times(n, n.Convert(threshold, ir.F64), 1+0x1.1p-24)
	return arithmetic.Maximum(n, n.Convert(next, ir.F32), n.Scalar(ir.F32, 0x1p-126))
}

// lowest returns the score that candidates are above.
func lowest(n *convert.Node) convert.Value {
	if n.Has(4) {
		return arithmetic.Scalar(n, n.Input(4))
	}
	return n.Scalar(ir.F32, math.Inf(-1))
}
