package qlinear

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/convolution"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/quantization"
)

// dynamicQuantizeMatMul multiplies floats, as DynamicQuantizeLinear rounds them, by quantized
// weights.
func dynamicQuantizeMatMul(n *convert.Node) []convert.Value {
	p := quantization.DynamicLinear(n, n.Input(0))
	y := quantization.Product(n, p.Quantize(n, n.Input(0), ir.U8), p, n.Input(1), quantization.At(n, 2, -1))
	return []convert.Value{arithmetic.Sum(n, y, n.Input(4))}
}

// matMulIntegerToFloat multiplies quantized matrices. The second can have a scale for each column.
func matMulIntegerToFloat(n *convert.Node) []convert.Value {
	a := quantization.Linear{Scale: n.Input(2), Zero: n.Input(4), Axis: -2}
	b := quantization.Linear{Scale: n.Input(3), Zero: n.Input(5), Axis: -1}
	return []convert.Value{arithmetic.Sum(n, quantization.Product(n, n.Input(0), a, n.Input(1), b), n.Input(6))}
}

// matMulInteger16 multiplies integers of 16 bits as those of 32 bits.
func matMulInteger16(n *convert.Node) []convert.Value {
	return []convert.Value{arithmetic.MatMul(n, n.Convert(n.Input(0), ir.I32), n.Convert(n.Input(1), ir.I32), false, false)}
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
	if n.Has(6) {
		scale := arithmetic.Multiply(n, a.Scale, b.Scale)
		c = quantization.Linear{Scale: scale, Axis: -1}.Dequantize(n, n.Input(6))
	}
	y := arithmetic.MatMul(n, a.Dequantize(n, n.Input(0)), b.Dequantize(n, n.Input(3)), n.Bool("transA", false), n.Bool("transB", false))
	y = arithmetic.Times(n, arithmetic.Sum(n, y, c), float64(n.Float("alpha", 1)))
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
	return n.Transpose(x, order...)
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
	return n.Transpose(y, append(order, 1)...)
}
