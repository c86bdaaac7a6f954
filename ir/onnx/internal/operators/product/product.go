// Package product converts products of matrices: MatMul, Gemm and MatMulInteger.
package product

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
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

// multiply adds a MatMul.
func multiply(n *convert.Node, a, b convert.Value, transposeA, transposeB bool) convert.Value {
	return n.Layer("MatMul", 1, convert.Attributes("transpose_a", transposeA, "transpose_b", transposeB), a, b)
}

// matMul multiplies as NumPy's matmul.
func matMul(n *convert.Node) []convert.Value {
	return []convert.Value{multiply(n, n.Input(0), n.Input(1), false, false)}
}

// gemm computes alpha*A*B + beta*C for matrices, of which A and B can be transposed. C broadcasts
// to the product; before version 7 only if the attribute broadcast is set, which is not checked.
func gemm(n *convert.Node) []convert.Value {
	result := multiply(n, n.Input(0), n.Input(1), n.Bool("transA", false), n.Bool("transB", false))
	result = scaled(n, result, n.Float("alpha", 1))
	if n.Has(2) {
		result = n.Layer("Add", 1, nil, result, scaled(n, n.Input(2), n.Float("beta", 1)))
	}
	return []convert.Value{result}
}

// scaled multiplies v by a factor. Integers are multiplied as floats if it has a fraction.
func scaled(n *convert.Node, v convert.Value, factor float32) convert.Value {
	t := n.Type(v)
	switch {
	case factor == 1:
		return v
	case t.IsInteger() && factor != float32(int64(factor)):
		wide := n.Convert(v, ir.F64)
		return n.Convert(n.Layer("Multiply", 1, nil, wide, n.Like(wide, float64(factor))), t)
	}
	return n.Layer("Multiply", 1, nil, v, n.Like(v, float64(factor)))
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
		a = n.Layer("Subtract", 1, nil, a, zero)
	}
	if n.Has(3) {
		b = n.Layer("Subtract", 1, nil, b, n.Convert(n.Input(3), ir.I32))
	}
	return []convert.Value{multiply(n, a, b, false, false)}
}
