package mixture

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// quantized is QMoE: weights are unsigned integers of 2, 4 or 8 bits, packed into bytes from the
// low bits on. (weight - zero point) * scale is what they stand for. Scales and zero points are
// those of a column, or of blocks of it; without zero points, it is the middle.
func quantized(n *convert.Node) []convert.Value {
	if t := n.Enum("quant_type", "int", "int", "fp4", "nvfp4", "fp8", "wfp4afp8"); t != "int" {
		n.Fail("attribute quant_type is %s, and only int is supported", t)
	}
	of := func(weights, scales, bias, zeros int, bits string) dense {
		return dense{dequantized(n, weights, scales, zeros, n.Int(bits, n.Int("expert_weight_bits", 4))), n.Input(bias)}
	}
	m := mixture{
		first: of(2, 3, 4, 11, "fc1_expert_weight_bits"), second: of(5, 6, 7, 12, "fc2_expert_weight_bits"),
		third: of(8, 9, 10, 13, "fc3_expert_weight_bits"), weights: n.Input(14),
		ofChosen: true, // whatever normalize_routing_weights says, in ONNX Runtime
	}
	return []convert.Value{m.apply(n)}
}

// dequantized returns the weights that an input has, [experts, columns, length of a row]; absent if
// the input is.
func dequantized(n *convert.Node, weights, scales, zeros int, bits int64) convert.Value {
	if !n.Has(weights) {
		return convert.Value{}
	}
	if !n.Has(scales) {
		n.Fail("input %d, the scales of input %d, is absent", scales, weights)
		return convert.Value{}
	}
	w, scale := unpacked(n, weights, bits), n.Input(scales)
	if n.Failed() {
		return convert.Value{}
	}
	t, shape := n.Type(scale), n.ShapeOf(w)
	rank := n.RequireRank(scale, "the scales")
	zero := n.Scalar(t, float64(int64(1)<<(bits-1)))
	if n.Has(zeros) {
		// A row of packed zero points is as long as the row of scales, and bits of padding.
		zero = unpacked(n, zeros, bits)
		zero = n.Layer("Slice", 8, nil, zero, n.IntValues(0), n.Slice(n.ShapeOf(scale), 0, -1, int64(rank)), n.IntValues(1), n.IntValues(-1))
		zero = n.Unsqueeze(n.Convert(zero, t), -1)
	}
	if rank == 3 { // blocks
		w = n.Reshape(w, n.Concat(0, n.ShapeOf(scale), n.IntValues(-1)), false)
	}
	w = n.Layer("Subtract", 1, nil, n.Convert(w, t), zero)
	w = n.Reshape(n.Layer("Multiply", 1, nil, w, n.Unsqueeze(scale, -1)), shape, false)
	return n.Convert(w, n.Type(n.Input(0)))
}

// unpacked returns an input of bytes as integers of less bits. It must be known before the model
// runs: no layer takes bytes apart.
func unpacked(n *convert.Node, input int, bits int64) convert.Value {
	types := map[int64]ir.ElementType{2: ir.U2, 4: ir.U4, 8: ir.U8}
	t, ok := types[bits]
	if !ok {
		n.Fail("weights of %d bits are not supported, only those of 2, 4 and 8", bits)
		return convert.Value{}
	}
	bytes := n.Constant(n.Input(input))
	if n.Failed() {
		return convert.Value{}
	}
	if bytes == nil || bytes.ElementType() != ir.U8 || len(bytes.Shape()) < 2 {
		n.Fail("input %d must be packed integers of u8 that are known before the model runs", input)
		return convert.Value{}
	}
	shape := append(ir.Shape{}, bytes.Shape()...)
	shape[len(shape)-1] *= int(8 / bits)
	packed, err := ir.TensorOfBytes(t, shape, bytes.Bytes())
	if err != nil {
		n.Fail("input %d: %w", input, err)
		return convert.Value{}
	}
	return n.Value(packed)
}
