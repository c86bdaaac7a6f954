// Package matrix converts operators of matrices other than plain products: CumProd, Det, Einsum,
// Inverse and CDist.
package matrix

import (
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	one, two := infer.Arity{Min: 1, Max: 1}, infer.Arity{Min: 2, Max: 2}
	return []convert.Rule{
		{Operator: "CumProd", Versions: []int{26}, Inputs: two, Outputs: one, Convert: cumProd},
		{Operator: "Det", Versions: []int{11, 22}, Inputs: one, Outputs: one, Convert: det},
		{Operator: "Einsum", Versions: []int{12, 28}, Inputs: infer.Arity{Min: 1, Max: -1}, Outputs: one, Convert: einsum},

		{Domain: "com.microsoft", Operator: "CDist", Versions: []int{1}, Inputs: two, Outputs: one, Convert: cdist},
		{Domain: "com.microsoft", Operator: "Inverse", Versions: []int{1}, Inputs: one, Outputs: one, Convert: inverse},
	}
}

// inverse inverts matrices.
func inverse(n *convert.Node) []convert.Value {
	return []convert.Value{n.Layer("Inverse", 14, convert.Attributes("adjoint", false), n.Input(0))}
}

// cdist gives the distances between the rows of two matrices, by their products:
//
//	(a-b)*(a-b) = a*a + b*b - 2*a*b
func cdist(n *convert.Node) []convert.Value {
	a, b := n.Input(0), n.Input(1)
	metric := n.Enum("metric", "sqeuclidean", "sqeuclidean", "euclidean")
	squares := func(v convert.Value, keep bool) convert.Value {
		return n.Layer("ReduceSum", 1, convert.Attributes("keep_dims", keep), arithmetic.Multiply(n, v, v), n.IntValue(1))
	}
	products := arithmetic.MatMul(n, a, b, false, true)
	sums := arithmetic.Add(n, squares(a, true), squares(b, false))
	distances := arithmetic.Subtract(n, sums, arithmetic.Times(n, products, 2))
	// Rounding can make distances negative.
	distances = arithmetic.Maximum(n, distances, n.Like(distances, 0))
	if metric == "euclidean" {
		distances = n.Layer("Sqrt", 1, nil, distances)
	}
	return []convert.Value{distances}
}
