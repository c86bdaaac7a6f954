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
		{Operator: "BitCast", Versions: []int{26}, Inputs: count(1), Outputs: count(1), Convert: bitCast},
		{Operator: "Cast", Versions: []int{1, 6, 9, 13, 19, 21, 23, 24, 25, 28}, Inputs: count(1), Outputs: count(1), Convert: castTo},
		{Operator: "CastLike", Versions: []int{15, 19, 21, 23, 24, 25}, Inputs: count(2), Outputs: count(1), Convert: castLike},
		{Operator: "Clip", Versions: []int{1, 6}, Inputs: count(1), Outputs: count(1), Convert: clipByAttributes},
		{Operator: "Clip", Versions: []int{11, 12, 13}, Inputs: infer.Arity{Min: 1, Max: 3}, Outputs: count(1), Convert: clip},
		{Operator: "Where", Versions: []int{9, 16}, Inputs: count(3), Outputs: count(1), Convert: layer("Select", 1)},
	}
}

// castTo converts elements to the type in the attribute to.
func castTo(n *convert.Node) []convert.Value {
	n.RequireAttribute("to")
	return []convert.Value{Cast(n, n.Input(0), n.ElementType("to", ir.Dynamic))}
}

// castLike converts elements to the type of the second input.
func castLike(n *convert.Node) []convert.Value {
	t := n.Type(n.Input(1))
	if t == ir.Dynamic {
		return []convert.Value{n.Layer("ConvertLike", 1, nil, n.Input(0), n.Input(1))}
	}
	return []convert.Value{Cast(n, n.Input(0), t)}
}

// Cast converts v to type t. A number is true unless it is 0. If the attribute saturate is set, as
// by default, what is too large for an 8-bit float becomes the largest finite one. NaN, which the
// 4-bit float does not have, becomes -0, as in ONNX's tests.
func Cast(n *convert.Node, v convert.Value, t ir.ElementType) convert.Value {
	from := n.Type(v)
	switch {
	case from == t:
		return v
	case from == ir.String || t == ir.String:
		n.Fail("a conversion of %v to %v is not supported", from, t)
		return convert.Value{}
	case t == ir.Boolean && from.IsReal():
		return n.Layer("NotEqual", 1, nil, v, n.Like(v, 0))
	case t == ir.F4E2M1 && from.IsReal():
		v = arithmetic.Select(n, n.Layer("IsNaN", 10, nil, v), n.Like(v, math.Copysign(0, -1)), v)
	case t == ir.F8E8M0 && from.IsReal():
		v = powersOfTwo(n, n.Convert(v, ir.F32))
	case (t == ir.F8E4M3 || t == ir.F8E5M2) && from.IsReal() && from.Size() > 1 && n.Bool("saturate", true):
		v = saturated(n, v, t)
	}
	return n.Convert(v, t)
}

// saturated limits the floats of v, but for NaN, to the finite numbers of t, an 8-bit float.
func saturated(n *convert.Node, v convert.Value, t ir.ElementType) convert.Value {
	largest := 448.0
	if t == ir.F8E5M2 {
		largest = 57344
	}
	limited := arithmetic.Clamp(n, v, n.Like(v, -largest), n.Like(v, largest))
	return arithmetic.Select(n, n.Layer("IsNaN", 10, nil, v), v, limited)
}

// powersOfTwo rounds floats of f32 to numbers of f8e8m0: 2 to the power of -127 to 127. The
// attribute round_mode says where to; ties are away from 0. If saturate is set, what is outside
// becomes the nearest of them, and else NaN.
func powersOfTwo(n *convert.Node, v convert.Value) convert.Value {
	mode := n.Enum("round_mode", "up", "up", "down", "nearest")
	numpy := convert.Attributes("auto_broadcast", "numpy")
	compare := func(layerType string, a, b convert.Value) convert.Value { return n.Layer(layerType, 1, numpy, a, b) }
	most := n.Like(v, math.Ldexp(1, 127))
	if n.Bool("saturate", true) {
		v = n.Layer("Select", 1, numpy, compare("Greater", v, most), most, v)
	} else {
		// Kernels can take subnormal numbers, such as the smallest power, for 0.
		inside := n.Layer("LogicalAnd", 1, numpy, compare("Greater", v, n.Like(v, 0)), compare("LessEqual", v, most))
		v = n.Layer("Select", 1, numpy, inside, v, n.Like(v, math.NaN()))
	}
	multiply := func(a convert.Value, by float64) convert.Value {
		return n.Layer("Multiply", 1, numpy, a, n.Like(v, by))
	}
	near := n.Convert(n.Convert(v, ir.F8E8M0), ir.F32) // ties are to even
	if mode == "up" {
		return n.Layer("Select", 1, numpy, compare("Less", near, v), multiply(near, 2), near)
	}
	below := n.Layer("Select", 1, numpy, compare("Greater", near, v), multiply(near, 0.5), near)
	if mode == "down" {
		return below
	}
	return n.Layer("Select", 1, numpy, compare("GreaterEqual", v, multiply(below, 1.5)), multiply(below, 2), below)
}

// bitCast reads the bits of elements as elements of a type of the same width. Convert keeps the bits
// of integers. Booleans are true unless all bits are 0.
func bitCast(n *convert.Node) []convert.Value {
	n.RequireAttribute("to")
	v, t := n.Input(0), n.ElementType("to", ir.Dynamic)
	from := n.Type(v)
	switch {
	case from == t:
		return []convert.Value{v}
	case from.Bits() != t.Bits():
		n.Fail("%v has %d bits, and %v has %d", from, from.Bits(), t, t.Bits())
	case from.IsIntegral() && t.IsIntegral() && t != ir.Boolean && t.Size() > 0:
		return []convert.Value{n.Convert(v, t)}
	case t == ir.Boolean:
		bits := n.Own("BitCast", convert.Attributes("destination_type", ir.U8), v)
		return []convert.Value{n.Layer("NotEqual", 1, nil, bits, n.Scalar(ir.U8, 0))}
	}
	return []convert.Value{n.Own("BitCast", convert.Attributes("destination_type", t), v)}
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
		x = arithmetic.Maximum(n, x, n.Input(1))
	}
	if n.Has(2) {
		x = arithmetic.Minimum(n, x, n.Input(2))
	}
	return []convert.Value{x}
}
