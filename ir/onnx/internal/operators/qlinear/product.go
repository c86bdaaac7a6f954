package qlinear

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/convolution"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/quantization"
)

// multiply adds a MatMul of a and b, and the bias unless it is absent.
func multiply(n *convert.Node, a, b, bias convert.Value, transposeA, transposeB bool) convert.Value {
	y := n.Layer("MatMul", 1, convert.Attributes("transpose_a", transposeA, "transpose_b", transposeB), a, b)
	if bias.Absent() {
		return y
	}
	return n.Layer("Add", 1, nil, y, bias)
}

// dynamicQuantizeMatMul multiplies floats, as DynamicQuantizeLinear rounds them, by quantized
// weights.
func dynamicQuantizeMatMul(n *convert.Node) []convert.Value {
	p := quantization.DynamicLinear(n, n.Input(0))
	data := p.Dequantize(n, p.Quantize(n, n.Input(0), ir.U8))
	weights := quantization.At(n, 2, -1).Dequantize(n, n.Input(1))
	return []convert.Value{multiply(n, data, weights, n.Input(4), false, false)}
}

// matMulIntegerToFloat multiplies quantized matrices. The second can have a scale for each column.
func matMulIntegerToFloat(n *convert.Node) []convert.Value {
	a := quantization.Linear{Scale: n.Input(2), Zero: n.Input(4), Axis: -2}
	b := quantization.Linear{Scale: n.Input(3), Zero: n.Input(5), Axis: -1}
	return []convert.Value{multiply(n, a.Dequantize(n, n.Input(0)), b.Dequantize(n, n.Input(1)), n.Input(6), false, false)}
}

// matMulInteger16 multiplies integers of 16 bits as those of 32 bits.
func matMulInteger16(n *convert.Node) []convert.Value {
	return []convert.Value{multiply(n, n.Convert(n.Input(0), ir.I32), n.Convert(n.Input(1), ir.I32), convert.Value{}, false, false)}
}

// qGemm computes alpha*A*B + C for quantized matrices, of which A and B can be transposed. B can
// have a scale for each column of the product, and C, of i32, has the product of alpha and both
// scales. The result is f32 if it has no scale.
func qGemm(n *convert.Node) []convert.Value {
	a, b := quantization.At(n, 1, 0), quantization.At(n, 4, -1)
	if n.Bool("transB", false) {
		b.Axis = -2
	}
	var c convert.Value
	alpha := n.Scalar(ir.F32, float64(n.Float("alpha", 1)))
	if n.Has(6) {
		scale := n.Layer("Multiply", 1, nil, a.Scale, b.Scale)
		c = quantization.Linear{Scale: scale, Axis: -1}.Dequantize(n, n.Input(6))
	}
	y := multiply(n, a.Dequantize(n, n.Input(0)), b.Dequantize(n, n.Input(3)), c, n.Bool("transA", false), n.Bool("transB", false))
	if n.Float("alpha", 1) != 1 {
		y = n.Layer("Multiply", 1, nil, y, alpha)
	}
	if !n.Has(7) {
		return []convert.Value{y}
	}
	return quantized(n, y, 7, 0)
}

// qLinearConv is a convolution of quantized data, with the channels in the last axis if the
// attribute channels_last is set; the weights have them in axis 1.
func qLinearConv(n *convert.Node) []convert.Value {
	last, rank := n.Bool("channels_last", false), 0
	if last {
		rank = n.RequireRank(n.Input(3), "the weights")
	}
	data := channelsFirst(n, last, rank, n.Input(0))
	return []convert.Value{quantization.QLinearConv(n, data, func(y convert.Value) convert.Value {
		return channelsLast(n, last, rank, y)
	})}
}

// nhwcMaxPool takes the largest elements of windows of data with the channels in the last axis.
func nhwcMaxPool(n *convert.Node) []convert.Value {
	rank := len(n.IntList("kernel_shape")) + 2
	y := convolution.MaxPool(n, channelsFirst(n, true, rank, n.Input(0)))
	return []convert.Value{channelsLast(n, true, rank, y)}
}

// channelsFirst moves the last axis of x to axis 1, if it is the one of the channels.
func channelsFirst(n *convert.Node, last bool, rank int, x convert.Value) convert.Value {
	if !last || n.Failed() {
		return x
	}
	order := []int64{0, int64(rank - 1)}
	for axis := int64(1); axis < int64(rank-1); axis++ {
		order = append(order, axis)
	}
	return n.Layer("Transpose", 1, nil, x, n.IntValues(order...))
}

// channelsLast undoes channelsFirst.
func channelsLast(n *convert.Node, last bool, rank int, y convert.Value) convert.Value {
	if !last || n.Failed() {
		return y
	}
	order := []int64{0}
	for axis := int64(2); axis < int64(rank); axis++ {
		order = append(order, axis)
	}
	return n.Layer("Transpose", 1, nil, y, n.IntValues(append(order, 1)...))
}
