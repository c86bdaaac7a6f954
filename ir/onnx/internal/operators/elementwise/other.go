package elementwise

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// otherRules returns the rules of operators whose inputs have different meanings.
func otherRules() []convert.Rule {
	return []convert.Rule{
		{Operator: "Clip", Versions: []int{1, 6}, Inputs: count(1), Outputs: count(1), Convert: clipByAttributes},
		{Operator: "Clip", Versions: []int{11, 12, 13}, Inputs: infer.Arity{Min: 1, Max: 3}, Outputs: count(1), Convert: clip},
		{Operator: "Where", Versions: []int{9, 16}, Inputs: count(3), Outputs: count(1), Convert: layer("Select", 1)},
	}
}

// clipByAttributes limits elements to the range from min to max, which are attributes.
func clipByAttributes(n *convert.Node) []convert.Value {
	attributes := convert.Attributes("min", n.Float("min", -math.MaxFloat32), "max", n.Float("max", math.MaxFloat32))
	return []convert.Value{n.Layer("Clamp", 1, attributes, n.Input(0))}
}

// clip limits elements to the range from input 1 to input 2, scalars that can be absent. If the
// lower bound is above the upper one, all elements become the upper one.
func clip(n *convert.Node) []convert.Value {
	x := n.Input(0)
	if !n.Has(1) && !n.Has(2) {
		return []convert.Value{x}
	}
	low, high := n.Constant(n.Input(1)), n.Constant(n.Input(2))
	if low != nil && high != nil && low.Len() == 1 && high.Len() == 1 && n.Type(x) == ir.F32 {
		if a, b := low.Values()(0), high.Values()(0); a <= b {
			return []convert.Value{n.Layer("Clamp", 1, convert.Attributes("min", float32(a), "max", float32(b)), x)}
		}
	}
	if n.Has(1) {
		x = arithmetic.Maximum(n, n.Input(1), x) // NaN stays NaN
	}
	if n.Has(2) {
		x = arithmetic.Minimum(n, n.Input(2), x)
	}
	return []convert.Value{x}
}
