package predictor

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// kernels are the functions of a row and a support vector.
var kernels = []string{"LINEAR", "POLY", "RBF", "SIGMOID"}

// similarities returns the function of each row and each of count support vectors, [rows, count].
func similarities(n *convert.Node, x convert.Value, count int) convert.Value {
	vectors := matrix(n, "support_vectors", n.FloatList("support_vectors"), count)
	params := n.FloatList("kernel_params")
	kind := n.Enum("kernel_type", kernels[0], kernels...)
	if len(params) == 0 {
		params = make([]float32, 3)
	}
	sameLength(n, "kernel_params", len(params), 3)
	if n.Failed() {
		return convert.Value{}
	}
	gamma, shift, degree := float64(params[0]), float64(params[1]), float64(params[2])
	dot := arithmetic.MatMul(n, x, vectors, false, true)
	if kind == "LINEAR" {
		return dot
	}
	if kind == "RBF" { // exp(-gamma·|x-v|²), with the differences of each pair
		difference := arithmetic.Subtract(n, n.Unsqueeze(x, 1), n.Unsqueeze(vectors, 0))
		square := arithmetic.Multiply(n, difference, difference)
		distance := n.Layer("ReduceSum", 1, convert.Attributes("keep_dims", false), square, n.IntValues(2))
		return n.Layer("Exp", 1, nil, arithmetic.Multiply(n, distance, n.Like(x, -gamma)))
	}
	scaled := arithmetic.Multiply(n, dot, n.Like(x, gamma))
	scaled = arithmetic.Add(n, scaled, n.Like(x, shift))
	if kind == "POLY" {
		return n.Layer("Power", 1, nil, scaled, n.Like(x, degree))
	}
	return n.Layer("Tanh", 1, nil, scaled)
}

// svmRegressor gives a weighted sum of the similarities to the support vectors or, without those,
// of the features. one_class makes it 1 or -1.
func svmRegressor(n *convert.Node) []convert.Value {
	x, coefficients := rows(n, ir.F32), n.FloatList("coefficients")
	supports := n.Int("n_supports", 0)
	rho := n.FloatList("rho")
	sameLength(n, "rho", len(rho), 1)
	if supports > 0 {
		sameLength(n, "coefficients", len(coefficients), int(supports))
		x = similarities(n, x, int(supports))
	}
	scores := arithmetic.MatMul(n, x, matrix(n, "coefficients", coefficients, 1), false, true)
	scores = plus(n, scores, "rho", rho, 1)
	if n.Bool("one_class", false) {
		high := n.Convert(n.Layer("Greater", 1, nil, scores, n.Like(scores, 0)), ir.F32)
		twice := arithmetic.Multiply(n, high, n.Like(scores, 2))
		return []convert.Value{arithmetic.Subtract(n, twice, n.Like(scores, 1))}
	}
	return []convert.Value{regression(n, scores, 1, postTransform(n))}
}

// svmClassifier lets each two classes vote for one of them. Without support vectors, it is a linear
// classifier.
func svmClassifier(n *convert.Node) []convert.Value {
	c := readClasses(n, "classlabels_strings", "classlabels_ints")
	perClass, rho, transform := n.IntList("vectors_per_class"), n.FloatList("rho"), postTransform(n)
	if n.Failed() {
		return nil
	}
	if len(perClass) == 0 {
		coefficients := matrix(n, "coefficients", n.FloatList("coefficients"), c.count())
		product := convert.Attributes("transpose_a", false, "transpose_b", true)
		scores := n.Layer("MatMul", 1, product, rows(n, ir.F32), coefficients)
		if len(rho) > 1 {
			rho = rho[:1]
		}
		scores = plus(n, scores, "rho", rho, c.count())
		return []convert.Value{c.best(n, scores), transformed(n, scores, transform)}
	}
	duels := readDuels(n, perClass, rho)
	if n.Failed() {
		return nil
	}
	if duels.classes != c.count() {
		n.Fail("vectors_per_class has %d classes, and there are %d labels", duels.classes, c.count())
		return nil
	}
	scores := plus(n, arithmetic.MatMul(n, similarities(n, rows(n, ir.F32), duels.vectors), duels.weights, false, false),
		"rho", rho, duels.count())
	label := c.best(n, duels.votes(n, scores))
	switch {
	case len(n.FloatList("prob_a")) > 0:
		return []convert.Value{label, transformed(n, duels.probabilities(n, scores), transform)}
	case duels.classes == 2 && transform == none:
		negative := n.Layer("Negative", 1, nil, scores)
		return []convert.Value{label, n.Concat(1, negative, scores)}
	case duels.classes == 2:
		return []convert.Value{label, pair(n, scores, transform, rest)}
	}
	return []convert.Value{label, transformed(n, scores, transform)}
}
