package predictor

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// linear returns rows of as many scores as there are rows of coefficients.
func linear(n *convert.Node, columns int) convert.Value {
	n.RequireAttribute("coefficients")
	coefficients := matrix(n, "coefficients", n.FloatList("coefficients"), columns)
	product := convert.Attributes("transpose_a", false, "transpose_b", true)
	scores := n.Layer("MatMul", 1, product, rows(n, ir.F32), coefficients)
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
