// Package random converts operators whose outputs are drawn at random. A node without a seed draws
// other numbers in each run. The numbers are not those of another engine, whatever the seed.
package random

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	none, one := infer.Arity{}, infer.Arity{Min: 1, Max: 1}
	return append(dropoutRules(), []convert.Rule{
		{Operator: "Bernoulli", Versions: []int{15, 22}, Inputs: one, Outputs: one, Convert: bernoulli},
		{Operator: "Multinomial", Versions: []int{7, 22}, Inputs: one, Outputs: one, Convert: multinomial},
		{Operator: "RandomNormal", Versions: []int{1, 22}, Inputs: none, Outputs: one, Convert: withShape(normal)},
		{Operator: "RandomNormalLike", Versions: []int{1, 22}, Inputs: one, Outputs: one, Convert: like(normal)},
		{Operator: "RandomUniform", Versions: []int{1, 22}, Inputs: none, Outputs: one, Convert: withShape(uniform)},
		{Operator: "RandomUniformLike", Versions: []int{1, 22}, Inputs: one, Outputs: one, Convert: like(uniform)},
	}...)
}

// distribution adds layers that draw numbers of a type of floats.
type distribution func(n *convert.Node, shape convert.Value, t ir.ElementType) convert.Value

// withShape returns a rule for an operator whose shape is an attribute.
func withShape(draw distribution) func(*convert.Node) []convert.Value {
	return func(n *convert.Node) []convert.Value {
		n.RequireAttribute("shape")
		shape := n.IntList("shape")
		for _, length := range shape {
			if length < 0 {
				n.Fail("attribute shape has the length %d, expected at least 0", length)
			}
		}
		return drawn(n, draw, n.IntValues(shape...), ir.F32)
	}
}

// like returns a rule for an operator whose shape, and type if it has none, are those of its input.
func like(draw distribution) func(*convert.Node) []convert.Value {
	return func(n *convert.Node) []convert.Value {
		return drawn(n, draw, n.ShapeOf(n.Input(0)), n.Type(n.Input(0)))
	}
}

// drawn draws numbers in f64 if that is the type of the output, and in f32 for all other types.
func drawn(n *convert.Node, draw distribution, shape convert.Value, def ir.ElementType) []convert.Value {
	outer := n.ElementType("dtype", def)
	if !outer.IsReal() {
		n.Fail("the type is %v, expected one of floats", outer)
		return nil
	}
	return []convert.Value{n.Convert(draw(n, shape, wide(outer)), outer)}
}

// wide returns the type in which numbers of a type are drawn.
func wide(t ir.ElementType) ir.ElementType {
	if t == ir.F64 {
		return t
	}
	return ir.F32
}

// seeds returns the attributes for the seed of a node, which are 0 if it has none. stream tells the
// layers of a node apart.
func seeds(n *convert.Node, stream int) []any {
	if !n.HasAttribute("seed") {
		return nil
	}
	return []any{"global_seed", int64(math.Float32bits(n.Float("seed", 0))), "op_seed", stream}
}

// unit draws numbers from 0 to below 1.
func unit(n *convert.Node, shape convert.Value, t ir.ElementType, stream int) convert.Value {
	attributes := convert.Attributes(append([]any{"output_type", t}, seeds(n, stream)...)...)
	return n.Layer("RandomUniform", 8, attributes, shape, n.Scalar(t, 0), n.Scalar(t, 1))
}

// uniform draws from low to high, which can be equal.
func uniform(n *convert.Node, shape convert.Value, t ir.ElementType) convert.Value {
	low, high := float64(n.Float("low", 0)), float64(n.Float("high", 1))
	return arithmetic.Plus(n, arithmetic.Times(n, unit(n, shape, t, 1), high-low), low)
}

// normal draws by the method of Box and Muller: sqrt(-2·ln(1-u))·cos(2π·v). 1-u is not 0.
func normal(n *convert.Node, shape convert.Value, t ir.ElementType) convert.Value {
	u, v := unit(n, shape, t, 1), unit(n, shape, t, 2)
	logarithm := n.Layer("Log", 1, nil, arithmetic.Subtract(n, n.Like(u, 1), u))
	radius := n.Layer("Sqrt", 1, nil, arithmetic.Times(n, logarithm, -2))
	direction := n.Layer("Cos", 1, nil, arithmetic.Times(n, v, 2*math.Pi))
	scaled := arithmetic.Times(n, arithmetic.Multiply(n, radius, direction), float64(n.Float("scale", 1)))
	return arithmetic.Plus(n, scaled, float64(n.Float("mean", 0)))
}

// bernoulli is 1 with the probability that is an element of the input, and otherwise 0.
func bernoulli(n *convert.Node) []convert.Value {
	p := n.Input(0)
	outer := n.ElementType("dtype", n.Type(p))
	t := wide(n.Type(p))
	return []convert.Value{n.Convert(n.Layer("Less", 1, nil, unit(n, n.ShapeOf(p), t, 1), n.Convert(p, t)), outer)}
}

// multinomial draws classes, whose logarithms of probabilities are the rows of the input.
func multinomial(n *convert.Node) []convert.Value {
	count := n.Int("sample_size", 1)
	if count < 0 {
		n.Fail("attribute sample_size is %d, expected at least 0", count)
	}
	attributes := slices.Concat([]any{"convert_type", n.ElementType("dtype", ir.I32), "with_replacement", true, "log_probs", true}, seeds(n, 1))
	return []convert.Value{n.Layer("Multinomial", 13, convert.Attributes(attributes...), n.Input(0), n.IntValues(count))}
}
