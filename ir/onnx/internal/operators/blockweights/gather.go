package blockweights

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/quantization"
)

// gatherBlockQuantized takes the slices of quantized data along gather_axis that indices name. Data
// has blocks along quantize_axis. If it is of u8, the last axis has numbers of the attribute bits,
// whose zero point is by default half of their range; that of u4 and i4 is 0.
func gatherBlockQuantized(n *convert.Node) []convert.Value {
	code := quantization.Code(n, n.Int("bits", 4))
	data, zero := n.Input(0), n.Input(3)
	block := n.Int("block_size", 128)
	if block < 1 {
		n.Fail("attribute block_size is %d, expected at least 1", block)
	}
	t := n.RequireConstant(data, "data")
	if n.Failed() {
		return nil
	}
	if t.ElementType() == ir.U8 {
		data = quantization.Unpacked(n, t, code)
		if zero.Absent() {
			zero = n.Scalar(code, float64(int(1)<<(code.Bits()-1)))
		} else if zeros := n.RequireConstant(zero, "zero_points"); zeros != nil {
			zero = sized(n, quantization.Unpacked(n, zeros, code), n.Input(2))
		}
	}
	p := quantization.Linear{Scale: n.Input(2), Zero: zero, Axis: n.Int("quantize_axis", 1), Block: block}
	y := arithmetic.Gather(n, p.Dequantize(n, data), n.Input(1), n.Int("gather_axis", 0))
	return []convert.Value{n.Convert(y, n.Type(n.Input(2)))}
}

// sized cuts what fills the last byte of each row off zero points, which have the shape of scale.
func sized(n *convert.Node, zero, scale convert.Value) convert.Value {
	last := n.Rank(scale) - 1
	if last < 0 || n.Length(zero, last) == n.Length(scale, last) {
		return zero
	}
	return n.Slice(zero, int64(last), 0, n.Length(scale, last).Max)
}
