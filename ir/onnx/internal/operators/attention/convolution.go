package attention

import (
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// causalConv convolves each channel with its own weights: an element of the result depends on that
// of the input and those before it, of which those before the input are past_state, 0 by default.
// Output 1 is the state for what follows.
func causalConv(n *convert.Node) []convert.Value {
	x, weight, bias, past := n.Input(0), n.Input(1), n.Input(2), n.Input(3)
	t := n.Type(x)
	before := arithmetic.Subtract(n, arithmetic.Lengths(n, weight, 2), n.IntValue(1))
	if past.Absent() {
		shape := n.Concat(0, n.Slice(n.ShapeOf(x), 0, 0, 2), before)
		past = arithmetic.Broadcast(n, n.Scalar(t, 0), shape)
	}
	all := n.Concat(2, past, x)
	attributes := convert.Attributes("strides", "1", "dilations", "1", "pads_begin", "0", "pads_end", "0", "auto_pad", "explicit")
	y := n.Layer("GroupConvolution", 1, attributes, all, n.Unsqueeze(weight, 1))
	if !bias.Absent() {
		y = arithmetic.Add(n, y, n.Unsqueeze(bias, 1))
	}
	if n.Enum("activation", "none", "none", "silu", "swish") != "none" {
		y = n.Layer("Swish", 4, nil, y)
	}
	start, end := arithmetic.Lengths(n, x, 2), arithmetic.Lengths(n, all, 2)
	state := n.Layer("Slice", 8, nil, all, start, end, n.IntValues(1), n.IntValues(2))
	return []convert.Value{y, state}
}
