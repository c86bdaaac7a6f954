package attention

import (
	"github.com/vinoir/vinoir/ir"
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
	y := convolved(n, all, weight, bias, 1)
	state := n.Layer("Slice", 8, nil, all, arithmetic.Lengths(n, x, 2), arithmetic.Lengths(n, all, 2), n.IntValues(1), n.IntValues(2))
	return []convert.Value{y, state}
}

// convolved returns the convolution of channels [batch, channels, length] with their own weights,
// and the bias and the activation of the node.
func convolved(n *convert.Node, x, weight, bias convert.Value, dilation int64) convert.Value {
	attributes := convert.Attributes("strides", "1", "dilations", dilation, "pads_begin", "0", "pads_end", "0", "auto_pad", "explicit")
	y := n.Layer("GroupConvolution", 1, attributes, x, n.Unsqueeze(weight, 1))
	if !bias.Absent() {
		y = arithmetic.Add(n, y, n.Unsqueeze(bias, 1))
	}
	if n.Enum("activation", "none", "none", "silu", "swish") != "none" {
		y = n.Layer("Swish", 4, nil, y)
	}
	return y
}

// varlenConv is VarlenCausalConvWithState: causalConv of texts that are packed one behind the
// other, [tokens, channels], each with its own state.
func varlenConv(n *convert.Node) []convert.Value {
	refuse(n, 0, "state_update_capacity")
	n.RequireInput(4)
	if n.Has(6) || n.Has(7) {
		n.Unsupported("weights that differ between tokens; ONNX Runtime has them for GPUs only")
		return nil
	}
	dilation := n.Int("dilation", 1)
	if dilation < 1 {
		n.Fail("attribute dilation is %d, expected at least 1", dilation)
		return nil
	}
	x, state, p := n.Input(0), n.Input(4), packingOf(n, n.Input(2))
	rows := func(v convert.Value) convert.Value { return n.Transpose(v, 0, 2, 1) }
	all := n.Concat(2, state, rows(p.restored(n, x)))
	y := p.removed(n, rows(convolved(n, all, n.Input(1), n.Input(3), dilation)), x)
	places := arithmetic.Add(n, n.Unsqueeze(textLengths(n, p.ends), 1), arithmetic.Range(n, arithmetic.Lengths(n, state, 2), ir.I64))
	last := n.Layer("Gather", 8, convert.Attributes("batch_dims", 1), rows(all), places, n.IntValue(1))
	return []convert.Value{y, rows(last)}
}
