// Package quantization converts operators that compute with quantized tensors: integers of few bits
// that stand for floats, as (q - zero point) * scale.
//
// QuantizeLinear becomes the layers of its formula, and DequantizeLinear those that compressed
// weights have in OpenVINO's files:
//
//	QuantizeLinear    Convert(Clamp(Round(x / scale) + zero))
//	DequantizeLinear  (Convert(q) - Convert(zero)) * scale
//
// Other operators dequantize their inputs, compute in floats, and quantize the result. Plugins find
// the pairs of both and compute in integers.
package quantization

import (
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	one, linear := infer.Arity{Min: 1, Max: 1}, infer.Arity{Min: 2, Max: 3}
	return []convert.Rule{
		{Operator: "ConvInteger", Versions: []int{10}, Inputs: infer.Arity{Min: 2, Max: 4}, Outputs: one, Convert: convInteger},
		{Operator: "DequantizeLinear", Versions: []int{10, 13, 19, 21, 23, 24, 25, 28}, Inputs: linear, Outputs: one, Convert: DequantizeLinear},
		{Operator: "DynamicQuantizeLinear", Versions: []int{11}, Inputs: one, Outputs: infer.Arity{Min: 1, Max: 3}, Convert: dynamicQuantizeLinear},
		{Operator: "QLinearConv", Versions: []int{10}, Inputs: infer.Arity{Min: 8, Max: 9}, Outputs: one, Convert: qLinearConv},
		{Operator: "QLinearMatMul", Versions: []int{10, 21}, Inputs: infer.Arity{Min: 8, Max: 8}, Outputs: one, Convert: qLinearMatMul},
		{Operator: "QuantizeLinear", Versions: []int{10, 13, 19, 21, 23, 24, 25, 28}, Inputs: linear, Outputs: one, Convert: QuantizeLinear},
	}
}
