// Package product converts products of matrices: MatMul, Gemm and MatMulInteger.
package product

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	one := infer.Arity{Min: 1, Max: 1}
	return append([]convert.Rule{
		{Operator: "Gemm", Versions: []int{1, 6, 7, 9}, Inputs: infer.Arity{Min: 3, Max: 3}, Outputs: one, Convert: gemm},
		{Operator: "Gemm", Versions: []int{11, 13}, Inputs: infer.Arity{Min: 2, Max: 3}, Outputs: one, Convert: gemm},
		{Operator: "MatMul", Versions: []int{1, 9, 13}, Inputs: infer.Arity{Min: 2, Max: 2}, Outputs: one, Convert: matMul},
		{Operator: "MatMulInteger", Versions: []int{10}, Inputs: infer.Arity{Min: 2, Max: 4}, Outputs: one, Convert: matMulInteger},
	}, fusedRules()...)
}

// matMul multiplies as NumPy's matmul.
func matMul(n *convert.Node) []convert.Value {
	return []convert.Value{arithmetic.MatMul(n, n.Input(0), n.Input(1), false, false)}
}

// gemm computes alpha*A*B + beta*C for matrices, of which A and B can be transposed. C broadcasts
// to the product; before version 7 only if the attribute broadcast is set, which is not checked.
func gemm(n *convert.Node) []convert.Value {
	result := arithmetic.MatMul(n, n.Input(0), n.Input(1), n.Bool("transA", false), n.Bool("transB", false))
	result = arithmetic.Times(n, result, float64(n.Float("alpha", 1)))
	if n.Has(2) {
		result = arithmetic.Add(n, result, arithmetic.Times(n, n.Input(2), float64(n.Float("beta", 1))))
	}
	return []convert.Value{result}
}

// matMulInteger multiplies integers of 8 bits as those of 32 bits, after zero points are
// subtracted: of A one for all elements or for each row, of B one for all or for each column.
func matMulInteger(n *convert.Node) []convert.Value {
	a, b := n.Convert(n.Input(0), ir.I32), n.Convert(n.Input(1), ir.I32)
	if n.Has(2) {
		zero := n.Convert(n.Input(2), ir.I32)
		if n.Rank(zero) == 1 && n.Shape(zero).At(0) != ir.Dim(1) {
			zero = n.Unsqueeze(zero, -1)
		}
		a = arithmetic.Subtract(n, a, zero)
	}
	if n.Has(3) {
		b = arithmetic.Subtract(n, b, n.Convert(n.Input(3), ir.I32))
	}
	return []convert.Value{arithmetic.MatMul(n, a, b, false, false)}
}
