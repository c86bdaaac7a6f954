package mixture

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/quantization"
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
	w = arithmetic.Subtract(n, n.Convert(w, t), zero)
	w = n.Reshape(arithmetic.Multiply(n, w, n.Unsqueeze(scale, -1)), shape, false)
	return n.Convert(w, n.Type(n.Input(0)))
}

// unpacked returns an input of bytes as integers of less bits. It must be known before the model
// runs: no layer takes bytes apart.
func unpacked(n *convert.Node, input int, bits int64) convert.Value {
	code := quantization.Code(n, bits)
	bytes := n.RequireConstant(n.Input(input), fmt.Sprintf("input %d, packed integers,", input))
	if n.Failed() {
		return convert.Value{}
	}
	if bytes.ElementType() != ir.U8 {
		n.Fail("input %d has the type %v, expected packed integers of u8", input, bytes.ElementType())
	}
	return quantization.Unpacked(n, bytes, code)
}
