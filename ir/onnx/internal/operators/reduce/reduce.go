// Package reduce converts operators that combine the elements along axes: sums, products, norms,
// extremes and their logarithms.
//
// The axes are an attribute before version 18, or 13 of ReduceSum, and an input since then. Without
// axes, all are reduced or, if noop_with_empty_axes is set, none: the function of an element alone
// stays then.
package reduce

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// reduction is what a rule needs to know about its operator.
type reduction struct {
	operator string
	versions []int
	// since is the version from which on the axes are an input.
	since int
	// reduce reduces x along axes.
	reduce func(n *convert.Node, x, axes convert.Value, keep bool) convert.Value
	// element is what reduce gives for one element.
	element func(n *convert.Node, x convert.Value) convert.Value
}

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	usual, extreme := []int{1, 11, 13, 18}, []int{1, 11, 12, 13, 18, 20}
	logarithmic := []int{1, 11, 13, 18, 28}
	var rules []convert.Rule
	for _, r := range []reduction{
		{"ReduceL1", usual, 18, by("ReduceL1", 4), unary("Abs")},
		{"ReduceL2", usual, 18, by("ReduceL2", 4), unary("Abs")},
		{"ReduceLogSum", logarithmic, 18, logSum, unary("Log")},
		{"ReduceLogSumExp", logarithmic, 18, logSumExp, same},
		{"ReduceMax", extreme, 18, extremum("ReduceMax", "ReduceLogicalOr"), same},
		{"ReduceMean", usual, 18, by("ReduceMean", 1), same},
		{"ReduceMin", extreme, 18, extremum("ReduceMin", "ReduceLogicalAnd"), same},
		{"ReduceProd", usual, 18, by("ReduceProd", 1), same},
		{"ReduceSum", []int{1, 11, 13}, 13, by("ReduceSum", 1), same},
		{"ReduceSumSquare", usual, 18, sumSquare, square},
	} {
		rules = append(rules, convert.Rule{
			Operator: r.operator, Versions: r.versions, Inputs: infer.Arity{Min: 1, Max: 2}, Outputs: infer.Arity{Min: 1, Max: 1}, Convert: r.convert,
		})
	}
	return rules
}

// convert converts a node.
func (r reduction) convert(n *convert.Node) []convert.Value {
	x, axes := n.Input(0), n.Input(1)
	if n.Version < r.since {
		if n.Has(1) {
			n.Fail("2 inputs are connected, expected 1 before version %d", r.since)
		}
		axes = convert.Value{}
		if list := n.IntList("axes"); len(list) > 0 {
			axes = n.IntValues(list...)
		}
	}
	keep, noop := n.Bool("keepdims", true), n.Bool("noop_with_empty_axes", false)
	known, isKnown := n.Ints(axes)
	switch none := axes.Absent() || isKnown && len(known) == 0; {
	case none && noop:
		return []convert.Value{r.element(n, x)}
	case none:
		axes = n.AxesFrom(x, 0)
	case !noop && !isKnown:
		axes = allIfEmpty(n, x, axes)
	}
	return []convert.Value{r.reduce(n, x, axes, keep)}
}

// allIfEmpty returns axes or, if the model gives none of them when it runs, all axes of x.
func allIfEmpty(n *convert.Node, x, axes convert.Value) convert.Value {
	if n.Shape(axes).Elements().Min > 0 {
		return axes
	}
	all := n.AxesFrom(x, 0)
	none := n.Layer("Equal", 1, nil, n.ShapeOf(axes), n.IntValues(0))
	end := arithmetic.Select(n, none, n.ShapeOf(all), n.IntValues(0))
	added := n.Layer("Slice", 8, nil, all, n.IntValues(0), end, n.IntValues(1))
	return n.Concat(0, n.Convert(axes, ir.I64), added)
}

// by returns a function that reduces by one layer.
func by(layerType string, opset int) func(*convert.Node, convert.Value, convert.Value, bool) convert.Value {
	return func(n *convert.Node, x, axes convert.Value, keep bool) convert.Value {
		return n.Layer(layerType, opset, convert.Attributes("keep_dims", keep), x, axes)
	}
}

// extremum is by for a layer type of numbers, and one of booleans, which have extremes too since
// version 20. OpenVINO's CPU plugin has the latter only along axes that are constant.
func extremum(layerType, logical string) func(*convert.Node, convert.Value, convert.Value, bool) convert.Value {
	return func(n *convert.Node, x, axes convert.Value, keep bool) convert.Value {
		if n.Type(x) != ir.Boolean {
			return by(layerType, 1)(n, x, axes, keep)
		}
		if n.Constant(axes) != nil {
			return by(logical, 1)(n, x, axes, keep)
		}
		return n.Convert(by(layerType, 1)(n, n.Convert(x, ir.U8), axes, keep), ir.Boolean)
	}
}

// unary returns a function that applies a layer with one input.
func unary(layerType string) func(*convert.Node, convert.Value) convert.Value {
	return func(n *convert.Node, x convert.Value) convert.Value { return n.Layer(layerType, 1, nil, x) }
}

// same returns x.
func same(_ *convert.Node, x convert.Value) convert.Value { return x }

// square returns the square of each element.
func square(n *convert.Node, x convert.Value) convert.Value { return arithmetic.Multiply(n, x, x) }

func sumSquare(n *convert.Node, x, axes convert.Value, keep bool) convert.Value {
	return by("ReduceSum", 1)(n, square(n, x), axes, keep)
}

// logSum is the logarithm of the sum. Integers are as in floats.
func logSum(n *convert.Node, x, axes convert.Value, keep bool) convert.Value {
	if t := n.Type(x); t.IsInteger() {
		return n.Convert(logSum(n, n.Convert(x, ir.F64), axes, keep), t)
	}
	return n.Layer("Log", 1, nil, by("ReduceSum", 1)(n, x, axes, keep))
}

// logSumExp subtracts the largest element before it computes powers, so that none is infinite, and
// adds it to the result. It subtracts 0 if that element is infinite. Integers are as in floats.
func logSumExp(n *convert.Node, x, axes convert.Value, keep bool) convert.Value {
	t := n.Type(x)
	if t.IsInteger() {
		return n.Convert(logSumExp(n, n.Convert(x, ir.F64), axes, keep), t)
	}
	largest := func(keep bool) convert.Value {
		m := by("ReduceMax", 1)(n, x, axes, keep)
		return arithmetic.Select(n, n.Layer("IsInf", 10, nil, m), n.Like(m, 0), m)
	}
	powers := n.Layer("Exp", 1, nil, arithmetic.Subtract(n, x, largest(true)))
	return arithmetic.Add(n, logSum(n, powers, axes, keep), largest(keep))
}
