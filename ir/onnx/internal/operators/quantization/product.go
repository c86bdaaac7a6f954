package quantization

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/convolution"
)

// At returns the parameters of a tensor, which are scale and zero point in input i and the one
// after it, and differ along an axis if they are no scalars.
func At(n *convert.Node, i int, axis int64) Linear {
	return Linear{Scale: n.RequireInput(i), Zero: n.Input(i + 1), Axis: axis}
}

// qLinearConv is a convolution of quantized data. The weights can have a scale for each output, and
// the bias, of i32, has the product of both scales.
func qLinearConv(n *convert.Node) []convert.Value {
	return []convert.Value{QLinearConv(n, n.Input(0), func(v convert.Value) convert.Value { return v })}
}

// QLinearConv adds a convolution for a node that has the inputs of QLinearConv, of data that has
// the channels in axis 1. arranged changes the order of the axes of the result before it is
// quantized.
func QLinearConv(n *convert.Node, data convert.Value, arranged func(convert.Value) convert.Value) convert.Value {
	x, w := At(n, 1, 1), At(n, 4, 0)
	var bias convert.Value
	if n.Has(8) {
		scale := arithmetic.Multiply(n, x.Scale, w.Scale)
		bias = Linear{Scale: scale, Axis: 0}.Dequantize(n, n.Input(8))
	}
	y := convolution.Convolve(n, x.Dequantize(n, data), w.Dequantize(n, n.Input(3)), bias)
	return At(n, 6, 1).Quantize(n, arranged(y), ResultType(n, 7, 0))
}

// qLinearMatMul is a product of quantized matrices. The first can have a scale for each row, the
// second one for each column.
func qLinearMatMul(n *convert.Node) []convert.Value {
	attributes := convert.Attributes("transpose_a", false, "transpose_b", false)
	y := n.Layer("MatMul", 1, attributes, At(n, 1, -2).Dequantize(n, n.Input(0)), At(n, 4, -1).Dequantize(n, n.Input(3)))
	return []convert.Value{At(n, 6, -2).Quantize(n, y, ResultType(n, 7, 0))}
}

// Product multiplies a quantized matrix x, with parameters a, by quantized weights w, as floats.
// Constant weights are multiplied as integers, and the product by both scales: compilers have
// faster kernels for that.
func Product(n *convert.Node, x convert.Value, a Linear, w convert.Value, b Linear) convert.Value {
	if n.Constant(w) == nil {
		return arithmetic.MatMul(n, a.Dequantize(n, x), b.Dequantize(n, w), false, false)
	}
	y := n.Convert(arithmetic.MatMul(n, Integers(n, x, a), Integers(n, w, b), false, false), ir.F32)
	scale := arithmetic.Multiply(n, n.Convert(a.broadcast(n, a.Scale, x), ir.F32), n.Convert(b.broadcast(n, b.Scale, w), ir.F32))
	return arithmetic.Multiply(n, y, scale)
}

// ResultType returns the type of a quantized result: that of its zero point, an input, or without
// it that of another input.
func ResultType(n *convert.Node, zero, other int) ir.ElementType {
	if n.Has(zero) {
		return n.Type(n.Input(zero))
	}
	return n.Type(n.Input(other))
}

// convInteger is a convolution of integers, as those of 32 bits. Zero points are subtracted first:
// one of the data, and one of the weights or one for each output.
func convInteger(n *convert.Node) []convert.Value {
	x := Integers(n, n.Input(0), Linear{Zero: n.Input(2), Axis: 1})
	w := Integers(n, n.Input(1), Linear{Zero: n.Input(3), Axis: 0})
	return []convert.Value{convolution.Convolve(n, x, w, convert.Value{})}
}

// Integers returns numbers as i32, with their zero points subtracted.
func Integers(n *convert.Node, q convert.Value, p Linear) convert.Value {
	y := n.Convert(q, ir.I32)
	if p.Zero.Absent() || arithmetic.IsZero(n, p.Zero) {
		return y
	}
	return arithmetic.Subtract(n, y, n.Convert(p.broadcast(n, p.Zero, q), ir.I32))
}
