package quantization

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Reinterpreted adds a Constant of the bytes of t with another element type or shape, without a
// copy.
func Reinterpreted(n *convert.Node, t *ir.Tensor, e ir.ElementType, shape ...int) convert.Value {
	if n.Failed() {
		return convert.Value{}
	}
	other, err := ir.TensorOfBytes(e, shape, t.Bytes())
	if err != nil {
		n.Fail("%w", err)
		return convert.Value{}
	}
	return n.Value(other)
}

// Code returns the type of unsigned integers that weights of some bits are. It is an error if there
// are no such weights.
func Code(n *convert.Node, bits int64) ir.ElementType {
	switch bits {
	case 2:
		return ir.U2
	case 4:
		return ir.U4
	case 8:
		return ir.U8
	}
	n.Fail("weights of %d bits are not supported, only those of 2, 4 and 8", bits)
	return ir.Dynamic
}

// Unpacked adds a Constant of the numbers of a type that bytes hold, several in each along the last
// axis.
func Unpacked(n *convert.Node, bytes *ir.Tensor, code ir.ElementType) convert.Value {
	if n.Failed() {
		return convert.Value{}
	}
	shape := slices.Clone(bytes.Shape())
	if len(shape) == 0 {
		n.Fail("packed integers are a scalar, expected at least one axis")
		return convert.Value{}
	}
	shape[len(shape)-1] *= 8 / code.Bits()
	return Reinterpreted(n, bytes, code, shape...)
}

// dequantizeBlocks dequantizes constant numbers whose blocks are all full. The axis of the blocks
// becomes two, as in compressed weights of OpenVINO's files. The result is absent if there are no
// such numbers.
func (p Linear) dequantizeBlocks(n *convert.Node, q convert.Value) (y convert.Value) {
	t := n.Constant(q)
	if t == nil {
		return y
	}
	shape := t.Shape()
	axis, block := n.Axis(p.Axis, len(shape)), int(p.Block)
	if n.Failed() || shape[axis]%block != 0 {
		return y
	}
	split := slices.Concat(shape[:axis], ir.Shape{shape[axis] / block, block}, shape[axis+1:])
	y = Scaled(n, Reinterpreted(n, t, t.ElementType(), split...), ofBlocks(n, p.Zero, axis+1), ofBlocks(n, p.Scale, axis+1))
	return n.Reshape(y, lengths(n, shape), false)
}

// ofBlocks returns v, scales or zero points that have an element for each block, with an axis of
// length 1 for the elements of a block. A constant stays one: layers that read compressed weights
// read constants.
func ofBlocks(n *convert.Node, v convert.Value, axis int) convert.Value {
	if v.Absent() || n.Rank(v) == 0 {
		return v
	}
	if t := n.Constant(v); t != nil && axis <= len(t.Shape()) {
		return Reinterpreted(n, t, t.ElementType(), slices.Insert(slices.Clone(t.Shape()), axis, 1)...)
	}
	return n.Unsqueeze(v, int64(axis))
}

// lengths returns a shape as a value.
func lengths(n *convert.Node, shape ir.Shape) convert.Value {
	list := make([]int64, len(shape))
	for i, length := range shape {
		list[i] = int64(length)
	}
	return n.IntValues(list...)
}

// centred returns constant bytes with their zero points subtracted, as i8 for which kernels of
// products exist. It is absent if there is nothing to subtract, or if a difference does not fit.
func (p Linear) centred(n *convert.Node, q convert.Value) (none convert.Value) {
	t, zero := n.Constant(q), n.Constant(p.Zero)
	if t == nil || zero == nil || t.ElementType() != ir.U8 && t.ElementType() != ir.I8 || arithmetic.IsZero(n, p.Zero) {
		return none
	}
	shape, inner := t.Shape(), t.Len()
	if zero.Len() > 1 {
		axis := n.Axis(p.Axis, len(shape))
		if n.Failed() || zero.Len() != shape[axis] {
			return none
		}
		inner = shape[axis+1:].Elements()
	}
	data := make([]int8, t.Len())
	values, zeros := t.Values(), zero.Values()
	for i := range data {
		v := values(i) - zeros(i/inner%zero.Len())
		if v < math.MinInt8 || v > math.MaxInt8 {
			return none
		}
		data[i] = int8(v)
	}
	return n.ValueOf(data, shape...)
}
