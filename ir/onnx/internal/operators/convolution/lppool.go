package convolution

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// exponent returns the attribute p of a norm: a float in version 1, and an integer since then.
func exponent(n *convert.Node) float64 {
	var p float64
	if n.Version < 2 {
		p = float64(n.Float("p", 2))
	} else {
		p = float64(n.Int("p", 2))
	}
	if !(p > 0) || math.IsInf(p, 1) {
		n.Fail("attribute p is %v, expected a number above 0", p)
	}
	return p
}

// norm computes the norm of the elements that sum adds up: the root of the sum of powers of their
// magnitudes. Floats of less than 32 bits are computed in f32, in which powers have more room.
func norm(n *convert.Node, sum func(convert.Value) convert.Value) []convert.Value {
	x := n.Input(0)
	t, p := n.Type(x), exponent(n)
	wide := t
	if t != ir.F64 {
		wide = ir.F32
	}
	x = n.Convert(x, wide)
	powers := n.Layer("Abs", 1, nil, x)
	switch p {
	case 1:
		return []convert.Value{n.Convert(sum(powers), t)}
	case 2:
		return []convert.Value{n.Convert(n.Layer("Sqrt", 1, nil, sum(arithmetic.Multiply(n, x, x))), t)}
	}
	power := func(v convert.Value, exponent float64) convert.Value {
		return n.Layer("Power", 1, nil, v, n.Like(v, exponent))
	}
	return []convert.Value{n.Convert(power(sum(power(powers, p)), 1/p), t)}
}

// lpPool computes the norm of each window. The padding is 0, so that the sum is the mean of all
// elements of the window times their number. A window that ceil_mode adds begins before the end of
// the padded input, and what is missing of it is padding too.
func lpPool(n *convert.Node) []convert.Value {
	w, kernel := poolWindow(n)
	elements := 1.0
	for i, length := range kernel {
		elements *= float64(length)
		if !n.Bool("ceil_mode", false) || w.autoPad != "explicit" && w.autoPad != "valid" {
			continue
		}
		w.autoPad = "explicit"
		reach := w.dilations[i] * (length - 1)
		w.padsEnd[i] = max(w.padsEnd[i], min(w.padsEnd[i]+w.strides[i]-1, reach))
	}
	attributes := w.attributes("kernel", kernel, "rounding_type", "floor", "exclude-pad", false)
	return norm(n, func(powers convert.Value) convert.Value {
		return arithmetic.Times(n, n.Layer("AvgPool", 16, attributes, powers), elements)
	})
}

// globalLpPool computes the norm of all axes from 2 on.
func globalLpPool(n *convert.Node) []convert.Value {
	return norm(n, func(powers convert.Value) convert.Value { return reduced(n, "ReduceSum", powers) })
}
