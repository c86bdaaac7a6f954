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
	t := n.ElementType("output_dtype", ir.U8)
	switch zero := n.Type(p.Zero); {
	case p.Zero.Absent() || zero == ir.Dynamic:
	case n.HasAttribute("output_dtype") && n.Int("output_dtype", 0) != 0 && t != zero:
		n.Fail("attribute output_dtype is %v, and the type of the zero point is %v", t, zero)
	default:
		t = zero
	}
	precision := n.ElementType("precision", ir.Dynamic)
	if precision == ir.Dynamic {
		precision = ir.F32
	}
	return []convert.Value{p.quantize(n, n.Input(0), t, precision)}
}

// DequantizeLinear returns the floats that quantized numbers stand for.
func DequantizeLinear(n *convert.Node) []convert.Value {
	t := n.ElementType("output_dtype", ir.Dynamic)
	if t == ir.Dynamic {
		t = n.Type(n.Input(1))
	}
	result := linear(n).Dequantize(n, n.Input(0))
	if t == ir.Dynamic {
		return []convert.Value{n.Layer("ConvertLike", 1, nil, result, n.Input(1))}
	}
	return []convert.Value{n.Convert(result, t)}
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
	return p.quantize(n, x, t, ir.F32)
}

// quantize is Quantize with a division of floats of a type.
func (p Linear) quantize(n *convert.Node, x convert.Value, t, precision ir.ElementType) convert.Value {
	scale := n.Convert(p.broadcast(n, p.Scale, x), precision)
	y := n.Convert(arithmetic.Divide(n, n.Convert(x, precision), scale), ir.F32)
	if t.IsReal() { // without rounding; -0 becomes 0
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
		n.Fail("numbers cannot be quantized to %v", t)
	}
	return n.Convert(n.Layer("Clamp", 1, convert.Attributes("min", low, "max", high), y), t)
}

// limits returns the range of integers of a type that floats are quantized to; false if there is no
// such type.
func limits(t ir.ElementType) (low, high float32, ok bool) {
	bits := t.Bits()
	if !t.IsInteger() || bits > 16 {
		return 0, 0, false
	}
	if t.Kind() == ir.KindSigned {
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
