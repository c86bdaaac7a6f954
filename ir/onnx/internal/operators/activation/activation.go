// Package activation converts the functions of neural networks: those of one element, such as Relu
// and Gelu, and those along an axis, such as Softmax. microsoft.go has those of ONNX Runtime.
package activation

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule { return slices.Concat(elementRules(), axisRules(), microsoftRules()) }

// elementRules returns the rules of functions of one element.
func elementRules() []convert.Rule {
	one := infer.Arity{Min: 1, Max: 1}
	var rules []convert.Rule
	for _, r := range []struct {
		operator string
		versions []int
		// convert is nil for those that attributes of other operators can name too.
		convert func(n *convert.Node, x convert.Value) convert.Value
	}{
		{"Celu", []int{12, 28}, nil},
		{"Elu", []int{1, 6, 22}, nil},
		{"Gelu", []int{20}, gelu},
		{"HardSigmoid", []int{1, 6, 22}, nil},
		{"HardSwish", []int{14, 22}, layer("HSwish", 4)},
		{"LeakyRelu", []int{1, 6, 16}, nil},
		{"Mish", []int{18, 22}, layer("Mish", 4)},
		{"Relu", []int{1, 6, 13, 14}, nil},
		{"Selu", []int{1, 6, 22}, selu},
		{"Shrink", []int{9}, shrink},
		{"Sigmoid", []int{1, 6, 13}, nil},
		{"Softplus", []int{1, 22}, nil},
		{"Softsign", []int{1, 22}, nil},
		{"Swish", []int{24}, swish},
		{"Tanh", []int{1, 6, 13}, nil},
		{"ThresholdedRelu", []int{10, 22}, nil},
	} {
		if r.convert == nil {
			r.convert = func(n *convert.Node, x convert.Value) convert.Value { return arithmetic.Operator(n, r.operator, x) }
		}
		rules = append(rules, convert.Rule{
			Operator: r.operator, Versions: r.versions, Inputs: one, Outputs: one,
			Convert: func(n *convert.Node) []convert.Value { return []convert.Value{r.convert(n, n.Input(0))} },
		})
	}
	two := infer.Arity{Min: 2, Max: 2}
	return append(rules,
		convert.Rule{Operator: "PRelu", Versions: []int{1, 6, 7, 9, 16}, Inputs: two, Outputs: one, Convert: pRelu},
		convert.Rule{Operator: "SwiGLU", Versions: []int{28}, Inputs: two, Outputs: one, Convert: swiGLU},
	)
}

// layer returns a function that adds a layer without attributes.
func layer(layerType string, opset int) func(*convert.Node, convert.Value) convert.Value {
	return func(n *convert.Node, x convert.Value) convert.Value { return n.Layer(layerType, opset, nil, x) }
}

// gelu is x times the distribution function of the normal distribution, or an approximation.
func gelu(n *convert.Node, x convert.Value) convert.Value {
	mode := "ERF"
	if n.Enum("approximate", "none", "none", "tanh") == "tanh" {
		mode = "TANH"
	}
	return n.Layer("Gelu", 7, convert.Attributes("approximation_mode", mode), x)
}

// pRelu multiplies negative elements by a slope. Before version 7 it is one for each channel, axis
// 1; since then it broadcasts to the elements, from the last axis on.
func pRelu(n *convert.Node) []convert.Value {
	x, slope := n.Input(0), n.Input(1)
	if n.Version < 7 {
		return []convert.Value{n.Layer("PRelu", 1, nil, x, slope)}
	}
	switch rank := n.Rank(slope); {
	case rank < 0:
		negative := n.Layer("Less", 1, nil, x, n.Like(x, 0))
		return []convert.Value{arithmetic.Select(n, negative, arithmetic.Multiply(n, x, slope), x)}
	case rank == 1 && n.Rank(x) != 1 && n.Rank(x) != 2:
		slope = n.Unsqueeze(slope, 0) // the layer takes a vector for slopes of axis 1
	}
	return []convert.Value{n.Layer("PRelu", 1, nil, x, slope)}
}

// selu is gamma*x for positive elements, and gamma*alpha*(exp(x)-1) for others.
func selu(n *convert.Node, x convert.Value) convert.Value {
	a, _ := arithmetic.NewActivation(n, "Selu")
	if n.Version < 6 {
		a.Alpha, a.Beta = 1.6732, 1.0507
	}
	a.Alpha, a.Beta = n.Float("alpha", a.Alpha), n.Float("gamma", a.Beta)
	return a.Apply(n, x)
}

// shrink moves elements beyond lambd towards 0, by bias; others become 0. Integers are computed in
// floats, since lambd and bias are.
func shrink(n *convert.Node, x convert.Value) convert.Value {
	if t := n.Type(x); t.IsInteger() {
		return n.Convert(shrink(n, n.Convert(x, ir.F64)), t)
	}
	bias, lambda := n.Like(x, float64(n.Float("bias", 0))), float64(n.Float("lambd", 0.5))
	low := n.Layer("Less", 1, nil, x, n.Like(x, -lambda))
	high := n.Layer("Greater", 1, nil, x, n.Like(x, lambda))
	inner := arithmetic.Select(n, high, arithmetic.Subtract(n, x, bias), n.Like(x, 0))
	return arithmetic.Select(n, low, arithmetic.Add(n, x, bias), inner)
}

// swish is x * sigmoid(alpha*x).
func swish(n *convert.Node, x convert.Value) convert.Value {
	return n.Layer("Swish", 4, nil, x, n.Like(x, float64(n.Float("alpha", 1))))
}

// swiGLU multiplies the Swish of input 0 by input 1, which has its shape.
func swiGLU(n *convert.Node) []convert.Value {
	return []convert.Value{n.Layer("Multiply", 1, convert.Attributes("auto_broadcast", "none"), swish(n, n.Input(0)), n.Input(1))}
}

// axisRules returns the rules of functions along an axis.
func axisRules() []convert.Rule {
	one, versions := infer.Arity{Min: 1, Max: 1}, []int{1, 11, 13}
	return []convert.Rule{
		{Operator: "Hardmax", Versions: versions, Inputs: one, Outputs: one, Convert: along(hardmax)},
		{Operator: "LogSoftmax", Versions: versions, Inputs: one, Outputs: one, Convert: along(func(n *convert.Node, x convert.Value, axis int64) convert.Value {
			return n.Layer("LogSoftmax", 5, convert.Attributes("axis", axis), x)
		})},
		{Operator: "Softmax", Versions: versions, Inputs: one, Outputs: one, Convert: along(Softmax)},
	}
}

// along returns a rule's function for a function along an axis. Since version 13 it is one axis,
// the last one by default. Before, it is all axes from one on, by default 1, as if they were one.
func along(f func(n *convert.Node, x convert.Value, axis int64) convert.Value) func(*convert.Node) []convert.Value {
	return func(n *convert.Node) []convert.Value {
		x := n.Input(0)
		if n.Version >= 13 {
			return []convert.Value{f(n, x, n.Int("axis", -1))}
		}
		return []convert.Value{AlongFlat(n, x, n.Int("axis", 1), f)}
	}
}

// AlongFlat computes f, a function along an axis, along all axes of x from one on, as if they were
// one.
func AlongFlat(n *convert.Node, x convert.Value, axis int64, f func(n *convert.Node, x convert.Value, axis int64) convert.Value) convert.Value {
	rank := n.Rank(x)
	if axis == -1 || rank >= 0 && axis == int64(rank)-1 {
		return f(n, x, -1)
	}
	if rank >= 0 && axis != int64(rank) {
		axis = int64(n.Axis(axis, rank))
	}
	shape := n.ShapeOf(x)
	first := n.Elements(x, 0, axis)
	flat := n.Reshape(x, n.Concat(0, first, n.IntValues(-1)), false)
	return n.Reshape(f(n, flat, -1), shape, false)
}

// Softmax divides the exponentials of elements by their sum along an axis.
func Softmax(n *convert.Node, x convert.Value, axis int64) convert.Value {
	return n.Layer("Softmax", 8, convert.Attributes("axis", axis), x)
}

// hardmax is 1 for the first of the largest elements, and 0 for all others.
func hardmax(n *convert.Node, x convert.Value, axis int64) convert.Value {
	rank := int64(n.Rank(x))
	if axis >= 0 {
		axis -= int64(n.RequireRank(x, "input 0"))
	}
	attributes := convert.Attributes("axis", axis, "mode", "max", "sort", "value", "index_element_type", ir.I64, "stable", true)
	first := n.Layer("TopK", 11, attributes, x, n.IntValue(1))
	if n.Failed() {
		return convert.Value{}
	}
	n.CheckAxis(axis, int(rank))
	length := arithmetic.Length(n, x, axis)
	places := arithmetic.Range(n, length, ir.I64)
	var behind []int64 // axes behind that of the places
	for i := int64(1); i < -axis && !n.Failed(); i++ {
		behind = append(behind, i)
	}
	return n.Convert(n.Layer("Equal", 1, nil, n.Unsqueeze(places, behind...), first.Output(1)), n.Type(x))
}
