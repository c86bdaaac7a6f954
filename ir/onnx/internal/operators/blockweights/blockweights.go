// Package blockweights converts the operators of com.microsoft whose weights have few bits, and a
// scale for each block: MatMulNBits, MatMulBnb4 and GatherBlockQuantized. They are as in models of
// ONNX Runtime GenAI.
//
// The weights become constants of the same bytes, dequantized as compressed weights of OpenVINO's
// files are, so that they stay in few bits when the model runs. They must be initializers.
package blockweights

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	rules := []convert.Rule{
		{Operator: "GatherBlockQuantized", Inputs: infer.Arity{Min: 3, Max: 4}, Convert: gatherBlockQuantized},
		{Operator: "MatMulBnb4", Inputs: infer.Arity{Min: 3, Max: 3}, Convert: matMulBnb4},
		{Operator: "MatMulNBits", Inputs: infer.Arity{Min: 3, Max: 6}, Convert: matMulNBits},
	}
	for i := range rules {
		rules[i].Domain, rules[i].Versions, rules[i].Outputs = "com.microsoft", []int{1}, infer.Arity{Min: 1, Max: 1}
	}
	return rules
}

// maxLength is the largest number of rows, of columns and of elements of a block. The sum of two
// fits an int of 32 bits.
const maxLength = 1 << 30

// positive returns an attribute that must be there and be 1 to maxLength.
func positive(n *convert.Node, name string) int {
	n.RequireAttribute(name)
	v := n.Int(name, 1)
	if v < 1 || v > maxLength {
		n.Fail("attribute %s is %d, expected 1 to %d", name, v, maxLength)
		return 1
	}
	return int(v)
}

// ceilDiv returns a/b, rounded up. Both are positive.
func ceilDiv(a, b int) int { return (a + b - 1) / b }

// multiply multiplies data by weights [N,K], and adds the bias unless it is absent. The result has
// the type of data.
func multiply(n *convert.Node, data, weights, bias convert.Value, transposed bool) convert.Value {
	y := arithmetic.MatMul(n, n.Convert(data, ir.F32), weights, false, transposed)
	if !bias.Absent() {
		y = arithmetic.Add(n, y, n.Convert(bias, ir.F32))
	}
	return n.Convert(y, n.Type(data))
}
