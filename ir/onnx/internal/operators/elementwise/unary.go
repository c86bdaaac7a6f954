package elementwise

import (
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// unaryRules returns the rules of operators that are one layer with one input.
func unaryRules() []convert.Rule {
	first := []int{1, 6, 13} // the versions of the oldest operators
	var rules []convert.Rule
	for _, r := range []struct {
		operator string
		versions []int
		layer    string
		opset    int
	}{
		{"Abs", first, "Abs", 1},
		{"Acos", []int{7, 22}, "Acos", 1},
		{"Acosh", []int{9, 22}, "Acosh", 4},
		{"Asin", []int{7, 22}, "Asin", 1},
		{"Asinh", []int{9, 22}, "Asinh", 4},
		{"Atan", []int{7, 22}, "Atan", 1},
		{"Atanh", []int{9, 22}, "Atanh", 4},
		{"BitwiseNot", []int{18}, "BitwiseNot", 13},
		{"Ceil", first, "Ceiling", 1},
		{"Cos", []int{7, 22}, "Cos", 1},
		{"Cosh", []int{9, 22}, "Cosh", 1},
		{"Erf", []int{9, 13}, "Erf", 1},
		{"Exp", first, "Exp", 1},
		{"Floor", first, "Floor", 1},
		{"IsNaN", []int{9, 13, 20}, "IsNaN", 10},
		{"Log", first, "Log", 1},
		{"Neg", first, "Negative", 1},
		{"Not", []int{1}, "LogicalNot", 1},
		{"Round", []int{11, 22}, "Round", 5},
		{"Sign", []int{9, 13}, "Sign", 1},
		{"Sin", []int{7, 22}, "Sin", 1},
		{"Sinh", []int{9, 22}, "Sinh", 1},
		{"Sqrt", first, "Sqrt", 1},
		{"Tan", []int{7, 22}, "Tan", 1},
	} {
		f := layer(r.layer, r.opset)
		if r.operator == "Round" {
			f = round
		}
		rules = append(rules, convert.Rule{Operator: r.operator, Versions: r.versions, Inputs: count(1), Outputs: count(1), Convert: f})
	}
	return append(rules,
		convert.Rule{Operator: "IsInf", Versions: []int{10, 20}, Inputs: count(1), Outputs: count(1), Convert: isInf},
		convert.Rule{Operator: "Reciprocal", Versions: first, Inputs: count(1), Outputs: count(1), Convert: reciprocal},
	)
}

// round rounds to the nearest integer, halves to the even one.
func round(n *convert.Node) []convert.Value {
	return []convert.Value{n.Layer("Round", 5, convert.Attributes("mode", "half_to_even"), n.Input(0))}
}

// isInf tells which elements are infinite.
func isInf(n *convert.Node) []convert.Value {
	attributes := convert.Attributes("detect_negative", n.Bool("detect_negative", true), "detect_positive", n.Bool("detect_positive", true))
	return []convert.Value{n.Layer("IsInf", 10, attributes, n.Input(0))}
}

// reciprocal divides 1 by each element.
func reciprocal(n *convert.Node) []convert.Value {
	return []convert.Value{arithmetic.Divide(n, n.Like(n.Input(0), 1), n.Input(0))}
}
