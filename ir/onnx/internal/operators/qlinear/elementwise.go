package qlinear

import (
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/activation"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/convolution"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/quantization"
)

// dequantized returns the floats of input i, whose parameters are the two inputs after it.
func dequantized(n *convert.Node, i int) convert.Value {
	return quantization.At(n, i+1, 0).Dequantize(n, n.RequireInput(i))
}

// quantized quantizes floats with the parameters in input i and the one after it, to the type of
// the zero point or, without it, of input like.
func quantized(n *convert.Node, y convert.Value, i, like int) []convert.Value {
	return []convert.Value{quantization.At(n, i, 0).Quantize(n, y, quantization.ResultType(n, i+1, like))}
}

// ofOne returns the function of a rule that computes floats from those of input 0.
func ofOne(compute func(*convert.Node, convert.Value) convert.Value) func(*convert.Node) []convert.Value {
	return func(n *convert.Node) []convert.Value {
		return quantized(n, compute(n, dequantized(n, 0)), 3, 0)
	}
}

// ofActivation is ofOne for the function that an operator of ONNX is.
func ofActivation(operator string) func(*convert.Node) []convert.Value {
	return ofOne(func(n *convert.Node, x convert.Value) convert.Value { return arithmetic.Operator(n, operator, x) })
}

// ofTwo returns the function of a rule that computes floats from those of inputs 0 and 3 by a layer
// of a type.
func ofTwo(layerType string) func(*convert.Node) []convert.Value {
	return func(n *convert.Node) []convert.Value {
		return quantized(n, n.Layer(layerType, 1, nil, dequantized(n, 0), dequantized(n, 3)), 6, 0)
	}
}

// softmax is that of the version of ONNX in the attribute opset: along one axis since 13, along all
// from the axis on before.
func softmax(n *convert.Node, x convert.Value) convert.Value {
	n.RequireAttribute("opset")
	axis := n.Int("axis", -1)
	if n.Int("opset", 0) < 13 {
		return activation.AlongFlat(n, x, axis, activation.Softmax)
	}
	return activation.Softmax(n, x, axis)
}

// reduceMean is the mean along axes, of all if there are none in the attribute.
func reduceMean(n *convert.Node, x convert.Value) convert.Value {
	axes := n.AxesFrom(x, 0)
	if n.HasAttribute("axes") {
		axes = n.IntValues(n.IntList("axes")...)
	}
	return n.Layer("ReduceMean", 1, convert.Attributes("keep_dims", n.Bool("keepdims", true)), x, axes)
}

// averagePool computes the means of windows, of data with the channels in the last axis if the
// attribute channels_last is set.
func averagePool(n *convert.Node, x convert.Value) convert.Value {
	last := n.Bool("channels_last", false)
	rank := len(n.IntList("kernel_shape")) + 2
	return channelsLast(n, last, rank, convolution.AveragePool(n, channelsFirst(n, last, rank, x)))
}

// globalAveragePool computes the means of all axes but those of the batch and of the channels.
func globalAveragePool(n *convert.Node, x convert.Value) convert.Value {
	axes := n.AxesFrom(x, 2)
	if n.Bool("channels_last", false) {
		axes = n.Slice(n.AxesFrom(x, 1), 0, 0, -1)
	}
	return n.Layer("ReduceMean", 1, convert.Attributes("keep_dims", true), x, axes)
}

// concat joins tensors along an axis. Each has a scale and a zero point behind it.
func concat(n *convert.Node) []convert.Value {
	n.RequireAttribute("axis")
	count := len(n.Inputs())
	if count < 5 || count%3 != 2 {
		n.Fail("%d inputs are connected, expected two and three for each tensor", count)
		return nil
	}
	var floats []convert.Value
	for i := 2; i < count; i += 3 {
		floats = append(floats, dequantized(n, i))
	}
	return quantized(n, n.Concat(n.Int("axis", 0), floats...), 0, 2)
}

// where takes elements of input 1 where the condition in input 0 is true, and of input 4 elsewhere.
func where(n *convert.Node) []convert.Value {
	return quantized(n, arithmetic.Select(n, n.Input(0), dequantized(n, 1), dequantized(n, 4)), 7, 1)
}
