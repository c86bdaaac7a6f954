package spectrum

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
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

// cosines is a window: a + b·cos(2πi/N) + c·cos(4πi/N). N is its length if it is periodic, and one
// less if it is symmetric. It is computed in f64 whatever its type.
func cosines(n *convert.Node, a, b, c float64) []convert.Value {
	outer := n.ElementType("output_datatype", ir.F32)
	length := n.Convert(n.Reshape(n.Input(0), n.IntValues(), false), ir.F64)
	if !n.Bool("periodic", true) {
		length = arithmetic.Plus(n, length, -1)
	}
	angle := arithmetic.Divide(n, arithmetic.Times(n, arithmetic.Range(n, n.Input(0), ir.F64), 2*math.Pi), length)
	term := func(factor float64, angle convert.Value) convert.Value {
		return arithmetic.Times(n, n.Layer("Cos", 1, nil, angle), factor)
	}
	y := arithmetic.Plus(n, term(b, angle), a)
	if c != 0 {
		y = arithmetic.Add(n, y, term(c, arithmetic.Times(n, angle, 2)))
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
		return n.Layer("Log", 1, nil, arithmetic.Plus(n, arithmetic.Divide(n, hertz, f(700)), 1))
	}
	low, high := mel(scalar(3)), mel(scalar(4))
	corners := arithmetic.Plus(n, bins, 2)
	distance := arithmetic.Divide(n, arithmetic.Subtract(n, high, low), corners)
	scale := arithmetic.Add(n, arithmetic.Multiply(n, arithmetic.Range(n, corners, ir.F64), distance), low)
	hertz := arithmetic.Times(n, arithmetic.Plus(n, n.Layer("Exp", 1, nil, scale), -1), 700)
	elements := arithmetic.Multiply(n, hertz, arithmetic.Plus(n, length, 1))
	positions := n.Layer("Floor", 1, nil, arithmetic.Divide(n, elements, rate))

	left, center, right := n.Slice(positions, 0, 0, -2), n.Slice(positions, 0, 1, -1), n.Slice(positions, 0, 2, math.MaxInt64)
	half := n.Layer("Floor", 1, nil, arithmetic.Divide(n, length, f(2)))
	rows := n.Unsqueeze(arithmetic.Range(n, arithmetic.Plus(n, half, 1), ir.F64), 1)
	rising := arithmetic.Divide(n, arithmetic.Subtract(n, rows, left), arithmetic.Subtract(n, center, left))
	falling := arithmetic.Divide(n, arithmetic.Subtract(n, right, rows), arithmetic.Subtract(n, right, center))
	// A side without a width is a division by 0 that is negative, so that it becomes 0.
	sides := arithmetic.Select(n, n.Layer("Less", 1, nil, rows, center), rising, falling)
	y := arithmetic.Select(n, n.Layer("Equal", 1, nil, rows, center), f(1), arithmetic.Maximum(n, sides, f(0)))
	return []convert.Value{n.Convert(y, outer)}
}
