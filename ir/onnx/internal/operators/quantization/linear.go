package quantization

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/elementwise"
)

// QuantizeLinear quantizes floats. The type of the result is that of the zero point or, since
// version 21, an attribute.
func QuantizeLinear(n *convert.Node) []convert.Value {
	p := linear(n)
	t := typeIn(n, "output_dtype", ir.U8)
	switch zero := n.DataType(p.Zero); {
	case p.Zero.Absent() || zero.Element == ir.Dynamic:
	case n.Int("output_dtype", 0) != 0 && t != zero:
		n.Fail("attribute output_dtype is %s, and the type of the zero point is %s", t.Name(), zero.Name())
	default:
		t = zero
	}
	return []convert.Value{p.quantize(n, n.Input(0), t, typeIn(n, "precision", ir.F32).Element)}
}

// DequantizeLinear returns the floats that quantized numbers stand for.
func DequantizeLinear(n *convert.Node) []convert.Value {
	t := typeIn(n, "output_dtype", n.Type(n.Input(1))).Element
	result := linear(n).Dequantize(n, n.Input(0))
	if t == ir.Dynamic {
		return []convert.Value{n.Layer("ConvertLike", 1, nil, result, n.Input(1))}
	}
	return []convert.Value{n.Convert(result, t)}
}

// typeIn returns the type in an attribute; def if it is missing, or has ONNX's default, 0.
func typeIn(n *convert.Node, name string, def ir.ElementType) convert.DataType {
	if n.Int(name, 0) == 0 {
		return convert.DataType{Element: def}
	}
	return n.DataTypeOf(name, convert.DataType{})
}

// linear returns the parameters of a node that has those of QuantizeLinear.
func linear(n *convert.Node) Linear {
	block := n.Int("block_size", 0)
	if block < 0 {
		n.Fail("attribute block_size is %d, expected at least 0", block)
	}
	return Linear{Scale: n.Input(1), Zero: n.Input(2), Axis: n.Int("axis", 1), Block: block}
}

// Linear says what quantized numbers stand for. Scale and Zero, which can be absent, are scalars,
// or have an element for each along Axis, which counts from the end if it is negative. With Block,
// they have an element for each block of that length along Axis, and for each along other axes.
type Linear struct {
	Scale, Zero convert.Value
	Axis, Block int64
}

// Quantize returns numbers of type t that stand for floats: the nearest, halves to even, and those
// that are out of range at the end of it.
func (p Linear) Quantize(n *convert.Node, x convert.Value, t ir.ElementType) convert.Value {
	return p.quantize(n, x, convert.DataType{Element: t}, ir.F32)
}

// quantize is Quantize to any type of ONNX, with a division of floats of a type.
func (p Linear) quantize(n *convert.Node, x convert.Value, t convert.DataType, precision ir.ElementType) convert.Value {
	scale := n.Convert(p.broadcast(n, p.Scale, x), precision)
	y := n.Convert(arithmetic.Divide(n, n.Convert(x, precision), scale), ir.F32)
	if t.Element.IsReal() { // without rounding; -0 becomes 0
		zero := n.Scalar(ir.F32, 0)
		if !p.Zero.Absent() {
			zero = n.Convert(p.broadcast(n, p.Zero, x), ir.F32)
		}
		return elementwise.Cast(n, arithmetic.Add(n, y, zero), t)
	}
	y = n.Layer("Round", 5, convert.Attributes("mode", "half_to_even"), y)
	if !p.Zero.Absent() && !arithmetic.IsZero(n, p.Zero) {
		y = arithmetic.Add(n, y, n.Convert(p.broadcast(n, p.Zero, x), ir.F32))
	}
	low, high, ok := limits(t)
	if !ok {
		n.Fail("numbers cannot be quantized to %s", t.Name())
	}
	return n.Convert(n.Layer("Clamp", 1, convert.Attributes("min", low, "max", high), y), t.Element).As(t)
}

// limits returns the range of integers of a type that floats are quantized to; false if there is no
// such type.
func limits(t convert.DataType) (low, high float32, ok bool) {
	bits := t.Element.Bits()
	if t.Narrow != nil {
		bits = t.Narrow.Bits
	}
	if !t.Element.IsInteger() || bits > 16 {
		return 0, 0, false
	}
	if t.Element.Kind() == ir.KindSigned {
		half := float32(int(1) << (bits - 1))
		return -half, half - 1, true
	}
	return 0, float32(int(1)<<bits) - 1, true
}

// Dequantize returns the floats, of f32, that numbers stand for.
func (p Linear) Dequantize(n *convert.Node, q convert.Value) convert.Value {
	if p.Block > 0 {
		if y := p.dequantizeBlocks(n, q); !y.Absent() {
			return y
		}
	} else if bytes := p.centred(n, q); !bytes.Absent() {
		q, p.Zero = bytes, convert.Value{}
	}
	return Scaled(n, q, p.broadcast(n, p.Zero, q), p.broadcast(n, p.Scale, q))
}

// Scaled returns (q-zero)*scale of f32. zero can be absent.
func Scaled(n *convert.Node, q, zero, scale convert.Value) convert.Value {
	y := n.Convert(q, ir.F32)
	if !zero.Absent() && !arithmetic.IsZero(n, zero) {
		y = arithmetic.Subtract(n, y, n.Convert(zero, ir.F32))
	}
	return arithmetic.Multiply(n, y, n.Convert(scale, ir.F32))
}
