package spectrum

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// windowRules returns the rules of windows and of MelWeightMatrix.
func windowRules() []convert.Rule {
	one := infer.Arity{Min: 1, Max: 1}
	window := func(name string, a, b, c float64) convert.Rule {
		return convert.Rule{Operator: name, Versions: []int{17}, Inputs: one, Outputs: one,
			Convert: func(n *convert.Node) []convert.Value { return cosines(n, a, b, c) }}
	}
	return []convert.Rule{
		window("BlackmanWindow", 0.42, -0.5, 0.08),
		window("HammingWindow", 25.0/46, -21.0/46, 0),
		window("HannWindow", 0.5, -0.5, 0),
		{Operator: "MelWeightMatrix", Versions: []int{17}, Inputs: infer.Arity{Min: 5, Max: 5}, Outputs: one, Convert: melWeights},
	}
}

// counted returns the numbers from 0 to before count, a value of one element, in f64.
func counted(n *convert.Node, count convert.Value) convert.Value {
	count = n.Reshape(count, n.IntValues(), false)
	return n.Layer("Range", 4, convert.Attributes("output_type", ir.F64), n.IntValue(0), n.Convert(count, ir.I64), n.IntValue(1))
}

// binary adds a layer of opset1 with two inputs.
func binary(n *convert.Node, layerType string, a, b convert.Value) convert.Value {
	return n.Layer(layerType, 1, nil, a, b)
}

// cosines is a window: a + b·cos(2πi/N) + c·cos(4πi/N). N is its length if it is periodic, and one
// less if it is symmetric. It is computed in f64 whatever its type.
func cosines(n *convert.Node, a, b, c float64) []convert.Value {
	outer := n.ElementType("output_datatype", ir.F32)
	f := func(v float64) convert.Value { return n.Scalar(ir.F64, v) }
	length := n.Convert(n.Reshape(n.Input(0), n.IntValues(), false), ir.F64)
	if !n.Bool("periodic", true) {
		length = binary(n, "Subtract", length, f(1))
	}
	angle := binary(n, "Divide", binary(n, "Multiply", counted(n, n.Input(0)), f(2*math.Pi)), length)
	term := func(factor float64, angle convert.Value) convert.Value {
		return binary(n, "Multiply", n.Layer("Cos", 1, nil, angle), f(factor))
	}
	y := binary(n, "Add", term(b, angle), f(a))
	if c != 0 {
		y = binary(n, "Add", y, term(c, binary(n, "Multiply", angle, f(2))))
	}
	return []convert.Value{n.Convert(y, outer)}
}

// melWeights is a matrix [dft_length/2+1, num_mel_bins] of triangles, with corners that are at
// equal distances on the mel scale, rounded down to elements of the spectrum.
func melWeights(n *convert.Node) []convert.Value {
	outer := n.ElementType("output_datatype", ir.F32)
	f := func(v float64) convert.Value { return n.Scalar(ir.F64, v) }
	scalar := func(i int) convert.Value { return n.Convert(n.Reshape(n.Input(i), n.IntValues(), false), ir.F64) }
	bins, length, rate := scalar(0), scalar(1), scalar(2)
	// mel(f) = 2595·log10(1+f/700). The factor is left out until it is needed.
	mel := func(hertz convert.Value) convert.Value {
		return n.Layer("Log", 1, nil, binary(n, "Add", binary(n, "Divide", hertz, f(700)), f(1)))
	}
	low, high := mel(scalar(3)), mel(scalar(4))
	corners := binary(n, "Add", bins, f(2))
	distance := binary(n, "Divide", binary(n, "Subtract", high, low), corners)
	scale := binary(n, "Add", binary(n, "Multiply", counted(n, corners), distance), low)
	hertz := binary(n, "Multiply", binary(n, "Subtract", n.Layer("Exp", 1, nil, scale), f(1)), f(700))
	positions := n.Layer("Floor", 1, nil, binary(n, "Divide", binary(n, "Multiply", hertz, binary(n, "Add", length, f(1))), rate))

	left, center, right := n.Slice(positions, 0, 0, -2), n.Slice(positions, 0, 1, -1), n.Slice(positions, 0, 2, math.MaxInt64)
	half := n.Layer("Floor", 1, nil, binary(n, "Divide", length, f(2)))
	rows := n.Unsqueeze(counted(n, binary(n, "Add", half, f(1))), 1)
	rising := binary(n, "Divide", binary(n, "Subtract", rows, left), binary(n, "Subtract", center, left))
	falling := binary(n, "Divide", binary(n, "Subtract", right, rows), binary(n, "Subtract", right, center))
	// A side without a width is a division by 0 that is negative, so that it becomes 0.
	sides := n.Layer("Select", 1, nil, binary(n, "Less", rows, center), rising, falling)
	y := n.Layer("Select", 1, nil, binary(n, "Equal", rows, center), f(1), binary(n, "Maximum", sides, f(0)))
	return []convert.Value{n.Convert(y, outer)}
}
