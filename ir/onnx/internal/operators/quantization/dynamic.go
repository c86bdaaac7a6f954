package quantization

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// dynamicQuantizeLinear quantizes to u8 so that the range of the elements, with 0, is that of the
// type. It returns the scale and the zero point too.
func dynamicQuantizeLinear(n *convert.Node) []convert.Value {
	p := DynamicLinear(n, n.Input(0))
	return []convert.Value{p.Quantize(n, n.Input(0), ir.U8), p.Scale, p.Zero}
}

// DynamicLinear returns scale and zero point for u8 of the range of the elements of x, with 0.
func DynamicLinear(n *convert.Node, x convert.Value) Linear {
	end := func(reduce, limit string) convert.Value {
		v := arithmetic.Scalar(n, n.Layer(reduce, 1, convert.Attributes("keep_dims", false), x, n.AxesFrom(x, 0)))
		return n.Layer(limit, 1, nil, v, n.Scalar(ir.F32, 0))
	}
	low, high := end("ReduceMin", "Minimum"), end("ReduceMax", "Maximum")
	scale := arithmetic.Divide(n, arithmetic.Subtract(n, high, low), n.Scalar(ir.F32, 255))
	// All elements are 0 if the range is empty: any other scale gives zeros too.
	isEmpty := n.Layer("Equal", 1, nil, scale, n.Scalar(ir.F32, 0))
	scale = arithmetic.Select(n, isEmpty, n.Scalar(ir.F32, 1), scale)
	zero := Linear{Scale: scale}.Quantize(n, n.Layer("Negative", 1, nil, low), ir.U8)
	return Linear{Scale: scale, Zero: zero}
}
