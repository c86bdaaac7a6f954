package elementwise

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/narrow"
)

// castRules returns the rules of operators that change the element type.
func castRules() []convert.Rule {
	return []convert.Rule{
		{Operator: "BitCast", Versions: []int{26}, Inputs: count(1), Outputs: count(1), Convert: bitCast},
		{Operator: "Cast", Versions: []int{1, 6, 9, 13, 19, 21, 23, 24, 25, 28}, Inputs: count(1), Outputs: count(1), Convert: castTo},
		{Operator: "CastLike", Versions: []int{15, 19, 21, 23, 24, 25}, Inputs: count(2), Outputs: count(1), Convert: castLike},
	}
}

// bitCast reads the bits of elements as elements of a type of the same width. Convert keeps those
// of integers. Booleans are true unless all bits are 0.
func bitCast(n *convert.Node) []convert.Value {
	n.RequireAttribute("to")
	v, t := n.Input(0), n.ElementType("to", ir.Dynamic)
	from := n.DataType(v)
	switch e := from.Element; {
	case from.Narrow != nil:
		n.Fail("the bits of %s are not kept, only its values", from.Name())
	case e == t:
		return []convert.Value{v}
	case e.Bits() != t.Bits():
		n.Fail("%v has %d bits, and %v has %d", e, e.Bits(), t, t.Bits())
	case e.IsIntegral() && t.IsIntegral() && t != ir.Boolean && t.Size() > 0:
		return []convert.Value{n.Convert(v, t)}
	case t == ir.Boolean:
		bits := n.Own("BitCast", convert.Attributes("destination_type", ir.U8), v)
		return []convert.Value{n.Layer("NotEqual", 1, nil, bits, n.Scalar(ir.U8, 0))}
	}
	return []convert.Value{n.Own("BitCast", convert.Attributes("destination_type", t), v)}
}

// castTo converts elements to the type in the attribute to.
func castTo(n *convert.Node) []convert.Value {
	n.RequireAttribute("to")
	return []convert.Value{Cast(n, n.Input(0), n.DataTypeOf("to", convert.DataType{}))}
}

// castLike converts elements to the type of the second input.
func castLike(n *convert.Node) []convert.Value {
	t := n.DataType(n.Input(1))
	if t.Element == ir.Dynamic {
		return []convert.Value{n.Layer("ConvertLike", 1, nil, n.Input(0), n.Input(1))}
	}
	return []convert.Value{Cast(n, n.Input(0), t)}
}

// Cast converts v to type t. A number is true unless it is 0. If the attribute saturate is set, as
// by default, what is too large for an 8-bit float becomes the largest finite one. NaN becomes -0
// in floats that have none, as in ONNX's tests.
func Cast(n *convert.Node, v convert.Value, t convert.DataType) convert.Value {
	from, to := n.DataType(v), t.Element
	real := from.Element.IsReal()
	switch {
	case from == t:
		return v
	case to == ir.String:
		return n.Own("NumberToString", nil, n.Convert(v, inText(from.Element)))
	case from.Element == ir.String:
		return Cast(n, n.Own("StringToNumber", convert.Attributes("destination_type", inText(to)), v), t)
	case t.Narrow != nil && t.Narrow.Float != nil:
		v = rounded(n, n.Convert(v, ir.F32), t.Narrow.Float)
	case t.Narrow != nil:
		v = lowBits(n, n.Convert(v, ir.I8), t.Narrow.Bits)
	case to == ir.Boolean && real:
		return n.Layer("NotEqual", 1, nil, v, n.Like(v, 0))
	case to == ir.F4E2M1 && real:
		v = withoutNaN(n, v)
	case to == ir.F8E8M0 && real:
		v = powersOfTwo(n, n.Convert(v, ir.F32))
	case to == ir.BF16 && from.Element != ir.F16:
		v = n.Convert(v, ir.F32) // Convert does not round integers and f64 to the nearest bf16
	case (to == ir.F8E4M3 || to == ir.F8E5M2) && from.Element.Size() > 1:
		v = forByte(n, v, to)
	}
	return n.Convert(v, to).As(t)
}

// inText returns the type in which numbers of type t are written in strings, and read from them.
func inText(t ir.ElementType) ir.ElementType {
	switch {
	case t == ir.U64:
		return t
	case t.IsInteger():
		return ir.I64
	}
	return ir.F64
}

// lowBits returns signed integers whose bits are the lowest ones of those of v, in two's
// complement.
func lowBits(n *convert.Node, v convert.Value, bits int) convert.Value {
	sign := float64(int(1) << (bits - 1))
	low := n.Layer("BitwiseAnd", 13, nil, v, n.Like(v, 2*sign-1))
	return arithmetic.Subtract(n, n.Layer("BitwiseXor", 13, nil, low, n.Like(v, sign)), n.Like(v, sign))
}

// withoutNaN puts -0 in place of NaN.
func withoutNaN(n *convert.Node, v convert.Value) convert.Value {
	return arithmetic.Select(n, isNaN(n, v), n.Like(v, math.Copysign(0, -1)), v)
}

// isNaN tells which elements are NaN.
func isNaN(n *convert.Node, v convert.Value) convert.Value { return n.Layer("IsNaN", 10, nil, v) }

// saturated limits the floats of v, but for NaN, to magnitudes up to largest.
func saturated(n *convert.Node, v convert.Value, largest float64) convert.Value {
	return arithmetic.Select(n, isNaN(n, v), v, arithmetic.Clamp(n, v, n.Like(v, -largest), n.Like(v, largest)))
}

// forByte returns floats that Convert rounds to t, an 8-bit float, as ONNX does: Convert would
// round floats of more than 16 bits twice, and makes NaN or infinities of what is too large.
func forByte(n *convert.Node, v convert.Value, t ir.ElementType) convert.Value {
	f := narrow.Float{Mantissa: 3, MinExponent: -6, Max: 448}
	if t == ir.F8E5M2 {
		f = narrow.Float{Mantissa: 2, MinExponent: -14, Max: 57344}
	}
	if e := n.Type(v); e != ir.F16 && e != ir.BF16 {
		v = nearest(n, n.Convert(v, ir.F32), &f)
	}
	if n.Bool("saturate", true) {
		v = saturated(n, v, f.Max)
	}
	return v
}

// rounded rounds floats of f32 to the nearest numbers of a type, halves to the even one. If
// saturate is set, or the type has no NaN, what is too large becomes the largest number, and else
// NaN.
func rounded(n *convert.Node, v convert.Value, t *narrow.Float) convert.Value {
	if !t.NaN {
		v = withoutNaN(n, v)
	}
	near := nearest(n, v, t)
	if !t.NaN || n.Bool("saturate", true) {
		near = saturated(n, near, t.Max)
	} else {
		over := n.Layer("Greater", 1, nil, n.Layer("Abs", 1, nil, near), n.Like(v, t.Max))
		near = arithmetic.Select(n, over, n.Like(v, math.NaN()), near)
	}
	if t.NaN { // -0 + 0 is 0
		near = arithmetic.Add(n, near, n.Like(v, 0))
	}
	return near
}

// nearest rounds floats of f32 to the nearest numbers of a type, halves to the even one, as if the
// type had numbers of any magnitude.
func nearest(n *convert.Node, v convert.Value, t *narrow.Float) convert.Value {
	least, most := n.Like(v, math.Ldexp(1, t.MinExponent)), n.Like(v, t.Max)
	magnitude := arithmetic.Clamp(n, n.Layer("Abs", 1, nil, v), least, most)
	step := arithmetic.Times(n, powerBelow(n, magnitude), math.Ldexp(1, -t.Mantissa))
	steps := n.Layer("Round", 5, convert.Attributes("mode", "half_to_even"), arithmetic.Divide(n, v, step))
	return arithmetic.Multiply(n, steps, step)
}

// powerBelow returns the largest numbers of f8e8m0 that are not above those of v, of f32: powers of
// two from the exponent -127 on.
func powerBelow(n *convert.Node, v convert.Value) convert.Value {
	near := nearestPower(n, v)
	return arithmetic.Select(n, n.Layer("Greater", 1, nil, near, v), arithmetic.Times(n, near, 0.5), near)
}

// nearestPower returns the nearest numbers of f8e8m0 to those of v, of f32; ties are to even.
func nearestPower(n *convert.Node, v convert.Value) convert.Value {
	return n.Convert(n.Convert(v, ir.F8E8M0), ir.F32)
}

// powersOfTwo rounds floats of f32 to numbers of f8e8m0: 2 to the power of -127 to 127. The
// attribute round_mode says where to; ties are away from 0. If saturate is set, what is outside
// becomes the nearest of them, and else NaN.
func powersOfTwo(n *convert.Node, v convert.Value) convert.Value {
	mode := n.Enum("round_mode", "up", "up", "down", "nearest")
	compare := func(layerType string, a, b convert.Value) convert.Value { return n.Layer(layerType, 1, nil, a, b) }
	most := n.Like(v, math.Ldexp(1, 127))
	if n.Bool("saturate", true) {
		v = arithmetic.Select(n, compare("Greater", v, most), most, v)
	} else {
		// Kernels can take subnormal numbers, such as the smallest power, for 0.
		inside := n.Layer("LogicalAnd", 1, nil, compare("Greater", v, n.Like(v, 0)), compare("LessEqual", v, most))
		v = arithmetic.Select(n, inside, v, n.Like(v, math.NaN()))
	}
	switch mode {
	case "up":
		near := nearestPower(n, v)
		return arithmetic.Select(n, compare("Less", near, v), arithmetic.Times(n, near, 2), near)
	case "down":
		return powerBelow(n, v)
	}
	below := powerBelow(n, v)
	return arithmetic.Select(n, compare("GreaterEqual", v, arithmetic.Times(n, below, 1.5)), arithmetic.Times(n, below, 2), below)
}
