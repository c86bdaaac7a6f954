package mixture

import (
	"math"

	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// activated returns the activation of the first product of rows.
func (m mixture) activated(n *convert.Node, s sharing, rows convert.Value) convert.Value {
	h := s.product(n, m.first, rows)
	switch activation := n.Enum("activation_type", "relu", "relu", "gelu", "silu", "swiglu", "identity"); activation {
	case "swiglu":
		return m.gated(n, s, rows, h)
	case "gelu":
		h = n.Layer("Gelu", 7, convert.Attributes("approximation_mode", "TANH"), h)
	case "silu":
		h = n.Layer("Swish", 4, nil, h)
	case "relu":
		h = n.Layer("Relu", 1, nil, h)
	}
	if !m.third.weights.Absent() {
		h = arithmetic.Multiply(n, h, s.product(n, m.third, rows))
	}
	return h
}

// gated returns gate * sigmoid(alpha*gate) * (linear+beta), both limited. The attribute
// swiglu_fusion says where they are: 0 for products of their own, 1 for neighbours, 2 for halves.
func (m mixture) gated(n *convert.Node, s sharing, rows, h convert.Value) convert.Value {
	var gate, linear convert.Value
	switch fusion := n.Int("swiglu_fusion", 0); fusion {
	case 0:
		if m.third.weights.Absent() {
			n.Fail("the weights of the third product are absent, and swiglu with swiglu_fusion 0 requires them")
			return h
		}
		gate, linear = h, s.product(n, m.third, rows)
	case 1:
		every := func(from int64) convert.Value {
			return n.Layer("Slice", 8, nil, h, n.IntValues(from), n.IntValues(math.MaxInt64), n.IntValues(2), n.IntValues(1))
		}
		gate, linear = every(0), every(1)
	case 2:
		halves := n.Split(h, 1, 2)
		gate, linear = halves[0], halves[1]
	default:
		n.Fail("attribute swiglu_fusion is %d, expected 0, 1 or 2", fusion)
		return h
	}
	swish := func(v convert.Value) convert.Value {
		return n.Layer("Swish", 4, nil, v, n.Like(v, float64(n.Float("activation_alpha", 1))))
	}
	if n.HasAttribute("swiglu_limit") {
		limit := float64(n.Float("swiglu_limit", 0))
		least := arithmetic.Maximum(n, linear, n.Like(linear, -limit))
		linear = arithmetic.Minimum(n, least, n.Like(linear, limit))
		limited := func(v convert.Value) convert.Value { return arithmetic.Minimum(n, v, n.Like(v, limit)) }
		if n.Bool("swiglu_limit_after_activation", false) {
			gate = limited(swish(gate))
		} else {
			gate = swish(limited(gate))
		}
	} else {
		gate = swish(gate)
	}
	linear = arithmetic.Plus(n, linear, float64(n.Float("activation_beta", 0)))
	return arithmetic.Multiply(n, gate, linear)
}
