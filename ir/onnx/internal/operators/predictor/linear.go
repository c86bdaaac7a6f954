package predictor

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// linear returns rows of as many scores as there are rows of coefficients. ONNX Runtime reads as
// many of these as there are features in a row, and no more; its example of a classifier has twice
// as many.
func linear(n *convert.Node, columns int) convert.Value {
	n.RequireAttribute("coefficients")
	x, values := rows(n, ir.F32), n.FloatList("coefficients")
	if shape := n.Shape(x); shape.Rank() == 2 && columns > 0 && len(values)%columns == 0 {
		if features := shape.At(1); features.Max < int64(len(values)/columns) {
			used := columns * int(features.Max)
			n.Note("of %d coefficients, only the first %d are used, as there are %v features", len(values), used, features)
			values = values[:used]
		}
	}
	product := convert.Attributes("transpose_a", false, "transpose_b", true)
	scores := n.Layer("MatMul", 1, product, x, matrix(n, "coefficients", values, columns))
	return plus(n, scores, "intercepts", n.FloatList("intercepts"), columns)
}

// linearRegressor gives a sum of the features for each target.
func linearRegressor(n *convert.Node) []convert.Value {
	targets := int(min(n.Int("targets", 1), int64(len(n.FloatList("coefficients")))))
	return []convert.Value{regression(n, linear(n, targets), targets, postTransform(n))}
}

// linearClassifier gives a score for each class. With coefficients for one class, it is that of the
// second of two.
func linearClassifier(n *convert.Node) []convert.Value {
	c := readClasses(n, "classlabels_strings", "classlabels_ints")
	if n.Failed() {
		return nil
	}
	columns, transform := c.count(), postTransform(n)
	if columns == 2 && len(n.FloatList("intercepts")) == 1 {
		columns = 1
	}
	scores := linear(n, columns)
	if columns == 1 && c.count() == 2 {
		return []convert.Value{c.above(n, scores, 0), pair(n, scores, transform, rest)}
	}
	return []convert.Value{c.best(n, scores), transformed(n, scores, transform)}
}
