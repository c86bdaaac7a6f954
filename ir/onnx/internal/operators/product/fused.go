package product

import (
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// fusedRules returns the rules of the operators that ONNX Runtime makes of several.
func fusedRules() []convert.Rule {
	one, two := infer.Arity{Min: 1, Max: 1}, infer.Arity{Min: 2, Max: 2}
	return []convert.Rule{
		{Domain: "com.microsoft", Operator: "FusedGemm", Versions: []int{1}, Inputs: infer.Arity{Min: 2, Max: 3}, Outputs: one, Convert: fusedGemm},
		{Domain: "com.microsoft", Operator: "FusedMatMul", Versions: []int{1}, Inputs: two, Outputs: one, Convert: fusedMatMul},
		{Domain: "com.microsoft", Operator: "SparseToDenseMatMul", Versions: []int{1}, Inputs: two, Outputs: one, Convert: fusedMatMul},
		{Domain: "com.microsoft", Operator: "TransposeMatMul", Versions: []int{1}, Inputs: two, Outputs: one, Convert: fusedMatMul},
	}
}

// fusedGemm is Gemm and an activation function.
func fusedGemm(n *convert.Node) []convert.Value {
	result := gemm(n)
	if n.Failed() {
		return nil
	}
	function, _ := arithmetic.NewActivation(n, n.Text("activation", ""))
	beta := "activation_beta"
	if function.Name == "Selu" {
		beta = "activation_gamma"
	}
	function.Alpha, function.Beta = n.Float("activation_alpha", function.Alpha), n.Float(beta, function.Beta)
	return []convert.Value{function.Apply(n, result[0])}
}

// fusedMatMul multiplies matrices that can be transposed, and the product by a factor. Sparse ones
// are constants, which have all of their elements when they are read.
func fusedMatMul(n *convert.Node) []convert.Value {
	a := rowsBehindBatch(n, n.Input(0), n.Bool("transBatchA", false))
	b := rowsBehindBatch(n, n.Input(1), n.Bool("transBatchB", false))
	product := arithmetic.MatMul(n, a, b, n.Bool("transA", false), n.Bool("transB", false))
	return []convert.Value{arithmetic.Times(n, product, float64(n.Float("alpha", 1)))}
}

// rowsBehindBatch moves the first axis of v behind those of the batch if set: [rows, batch...,
// columns] becomes [batch..., rows, columns].
func rowsBehindBatch(n *convert.Node, v convert.Value, set bool) convert.Value {
	if !set {
		return v
	}
	rank := n.RequireRank(v, "an input with transBatchA or transBatchB")
	if n.Failed() || rank < 3 {
		return v
	}
	perm := make([]int64, rank)
	for i := range perm {
		perm[i] = int64(i + 1)
	}
	perm[rank-2], perm[rank-1] = 0, int64(rank-1)
	return n.Transpose(v, perm...)
}
