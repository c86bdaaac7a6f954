package elementwise

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// binaryRules returns the rules of operators with two inputs that broadcast.
func binaryRules() []convert.Rule {
	arithmetic, logic := []int{1, 6, 7, 13, 14}, []int{1, 7}
	var rules []convert.Rule
	for _, r := range []struct {
		operator string
		versions []int
		layer    string
		opset    int
	}{
		{"Add", arithmetic, "Add", 1},
		{"And", logic, "LogicalAnd", 1},
		{"BitwiseAnd", []int{18}, "BitwiseAnd", 13},
		{"BitwiseOr", []int{18}, "BitwiseOr", 13},
		{"BitwiseXor", []int{18}, "BitwiseXor", 13},
		{"Equal", []int{1, 7, 11, 13, 19}, "Equal", 1},
		{"Greater", []int{1, 7, 9, 13}, "Greater", 1},
		{"GreaterOrEqual", []int{12, 16}, "GreaterEqual", 1},
		{"Less", []int{1, 7, 9, 13}, "Less", 1},
		{"LessOrEqual", []int{12, 16}, "LessEqual", 1},
		{"Mul", arithmetic, "Multiply", 1},
		{"Or", logic, "LogicalOr", 1},
		{"Sub", arithmetic, "Subtract", 1},
		{"Xor", logic, "LogicalXor", 1},
	} {
		rules = append(rules, convert.Rule{
			Operator: r.operator, Versions: r.versions, Inputs: count(2), Outputs: count(1), Convert: func(n *convert.Node) []convert.Value {
				a, b := operands(n)
				return []convert.Value{n.Layer(r.layer, r.opset, nil, a, b)}
			},
		})
	}
	return append(rules,
		convert.Rule{Operator: "BitShift", Versions: []int{11, 28}, Inputs: count(2), Outputs: count(1), Convert: bitShift},
		convert.Rule{Operator: "Div", Versions: arithmetic, Inputs: count(2), Outputs: count(1), Convert: div},
		convert.Rule{Operator: "Mod", Versions: []int{10, 13, 28}, Inputs: count(2), Outputs: count(1), Convert: mod},
		convert.Rule{Operator: "Pow", Versions: []int{1, 7, 12, 13, 15}, Inputs: count(2), Outputs: count(1), Convert: pow},
	)
}

// operands returns the two inputs, in forms that broadcast as in NumPy. Before version 7, the
// second one broadcasts to the first if the attribute broadcast is 1: its axes are those of the
// first from the attribute axis on, or the last ones if there is no such attribute. Without
// broadcast, the shapes are equal.
func operands(n *convert.Node) (a, b convert.Value) {
	a, b = n.Input(0), n.Input(1)
	if n.Version >= 7 || !n.Bool("broadcast", false) || !n.HasAttribute("axis") {
		return a, b
	}
	rank, own := n.RequireRank(a, "input 0"), n.RequireRank(b, "input 1")
	axis := n.Int("axis", 0)
	if axis < 0 {
		axis += int64(rank)
	}
	behind := int64(rank-own) - axis
	if axis < 0 || behind < 0 {
		n.Fail("attribute axis: axes %d to %d of input 0 of rank %d do not exist", axis, axis+int64(own)-1, rank)
		return a, b
	}
	var axes []int64
	for i := range behind {
		axes = append(axes, int64(own)+i)
	}
	return a, n.Unsqueeze(b, axes...)
}

// div divides; integers are rounded towards 0.
func div(n *convert.Node) []convert.Value {
	a, b := operands(n)
	return []convert.Value{arithmetic.Divide(n, a, b)}
}

// mod computes the remainder, with the sign of the divisor or, if fmod is 1, of the dividend.
func mod(n *convert.Node) []convert.Value {
	layerType := "FloorMod"
	if n.Bool("fmod", false) {
		layerType = "Mod"
	}
	return []convert.Value{n.Layer(layerType, 1, nil, n.Input(0), n.Input(1))}
}

// pow computes powers. The result has the type of the base. An integer base with an exponent of
// floats is computed in floats.
func pow(n *convert.Node) []convert.Value {
	base, exponent := operands(n)
	t, e := n.Type(base), n.Type(exponent)
	if t.IsInteger() && e.IsFloat() {
		wide := ir.F32
		if e == ir.F64 || t.Size() > 2 {
			wide = ir.F64
		}
		power := n.Layer("Power", 1, nil, n.Convert(base, wide), n.Convert(exponent, wide))
		return []convert.Value{n.Convert(power, t)}
	}
	return []convert.Value{n.Layer("Power", 1, nil, base, n.Convert(exponent, t))}
}

// bitShift shifts the bits of each element by the number in the second input. All bits are shifted
// out by a number that is not below the width, or negative: 0 is left, or the sign of a signed
// integer that is shifted to the right.
func bitShift(n *convert.Node) []convert.Value {
	n.RequireAttribute("direction")
	direction := n.Enum("direction", "LEFT", "LEFT", "RIGHT")
	x, y := n.Input(0), n.Input(1)
	t := n.Type(x)
	width := float64(8 * t.Size())
	in := n.Layer("LogicalAnd", 1, nil,
		n.Layer("Less", 1, nil, y, n.Like(y, width)), n.Layer("GreaterEqual", 1, nil, y, n.Like(y, 0)))
	if direction == "RIGHT" && t.Kind() == ir.KindSigned {
		most := arithmetic.Select(n, in, y, n.Like(y, width-1))
		return []convert.Value{n.Layer("BitwiseRightShift", 15, nil, x, most)}
	}
	layerType := "BitwiseLeftShift"
	if direction == "RIGHT" {
		layerType = "BitwiseRightShift"
	}
	safe := arithmetic.Select(n, in, y, n.Like(y, 0))
	shifted := n.Layer(layerType, 15, nil, x, safe)
	return []convert.Value{arithmetic.Select(n, in, shifted, n.Like(x, 0))}
}
