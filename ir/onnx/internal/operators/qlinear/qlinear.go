// Package qlinear converts the operators of com.microsoft that read and write quantized tensors:
// each dequantizes its inputs, computes in floats, and quantizes the result. Package quantization
// says how, and has the operators of ONNX itself.
//
// ONNX Runtime computes some of them in integers, or with tables. Its results can differ by one.
package qlinear

import (
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/quantization"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	one, unary, binary := infer.Arity{Min: 1, Max: 1}, infer.Arity{Min: 2, Max: 5}, infer.Arity{Min: 2, Max: 8}
	rules := []convert.Rule{
		{Operator: "DequantizeLinear", Inputs: infer.Arity{Min: 2, Max: 3}, Convert: quantization.DequantizeLinear},
		{Operator: "DynamicQuantizeMatMul", Inputs: infer.Arity{Min: 3, Max: 5}, Convert: dynamicQuantizeMatMul},
		{Operator: "MatMulInteger16", Inputs: infer.Arity{Min: 2, Max: 2}, Convert: matMulInteger16},
		{Operator: "MatMulIntegerToFloat", Inputs: infer.Arity{Min: 4, Max: 7}, Convert: matMulIntegerToFloat},
		{Operator: "NhwcMaxPool", Inputs: one, Convert: nhwcMaxPool},
		{Operator: "QGemm", Inputs: infer.Arity{Min: 6, Max: 9}, Convert: qGemm},
		{Operator: "QLinearAdd", Inputs: binary, Convert: ofTwo("Add")},
		{Operator: "QLinearAveragePool", Inputs: unary, Convert: ofOne(averagePool)},
		{Operator: "QLinearConcat", Inputs: infer.Arity{Min: 2, Max: -1}, Convert: concat},
		{Operator: "QLinearConv", Inputs: infer.Arity{Min: 8, Max: 9}, Convert: qLinearConv},
		{Operator: "QLinearGlobalAveragePool", Inputs: unary, Convert: ofOne(globalAveragePool)},
		{Operator: "QLinearLeakyRelu", Inputs: unary, Convert: ofActivation("LeakyRelu")},
		{Operator: "QLinearMul", Inputs: binary, Convert: ofTwo("Multiply")},
		{Operator: "QLinearReduceMean", Inputs: unary, Convert: ofOne(reduceMean)},
		{Operator: "QLinearSigmoid", Inputs: unary, Convert: ofActivation("Sigmoid")},
		{Operator: "QLinearSoftmax", Inputs: unary, Convert: ofOne(softmax)},
		{Operator: "QLinearWhere", Inputs: infer.Arity{Min: 9, Max: 9}, Convert: where},
		{Operator: "QuantizeLinear", Inputs: infer.Arity{Min: 2, Max: 3}, Convert: quantization.QuantizeLinear},
	}
	for i := range rules {
		rules[i].Domain, rules[i].Versions, rules[i].Outputs = "com.microsoft", []int{1}, one
	}
	return rules
}
