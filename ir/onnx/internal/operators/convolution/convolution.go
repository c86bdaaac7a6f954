// Package convolution converts operators with windows that move over the axes from 2 on: Conv,
// ConvTranspose, MaxPool, AveragePool, LpPool, and pools over the whole of these axes.
package convolution

import (
	"math"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	one := infer.Arity{Min: 1, Max: 1}
	convolved := infer.Arity{Min: 2, Max: 3}
	return slices.Concat([]convert.Rule{
		{Operator: "Conv", Versions: []int{1, 11, 22}, Inputs: convolved, Outputs: one, Convert: conv},
		{Operator: "ConvTranspose", Versions: []int{1, 11, 22}, Inputs: convolved, Outputs: one, Convert: convTranspose},
	}, poolRules(), fusedRules())
}

// window is how a window moves: the attributes that all operators of the family have.
type window struct {
	strides, dilations, padsBegin, padsEnd []int64
	autoPad                                string
}

// windowOf reads the attributes of a node whose window has a number of axes. Only without auto_pad
// do the pads count.
func windowOf(n *convert.Node, axes int) window {
	w := window{autoPad: "explicit"}
	if mode := n.Enum("auto_pad", "NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"); mode != "NOTSET" {
		w.autoPad = strings.ToLower(mode)
	}
	w.strides, w.dilations = n.IntsOf("strides", axes, 1), n.IntsOf("dilations", axes, 1)
	pads := slices.Clone(n.IntsOf("pads", 2*axes, 0))
	if w.autoPad != "explicit" {
		clear(pads)
	}
	w.padsBegin, w.padsEnd = pads[:axes], pads[axes:]
	return w
}

// attributes returns the attributes of a layer for w, before others.
func (w window) attributes(others ...any) []ir.Attribute {
	all := []any{"strides", w.strides, "dilations", w.dilations, "pads_begin", w.padsBegin, "pads_end", w.padsEnd, "auto_pad", w.autoPad}
	return convert.Attributes(append(all, others...)...)
}

// WindowAttributes returns the attributes of a layer whose window is that of a node and moves over
// a number of axes, before others.
func WindowAttributes(n *convert.Node, axes int, others ...any) []ir.Attribute {
	return windowOf(n, axes).attributes(others...)
}

// windowAxes returns the number of axes of the window of a convolution: those of the weights, so
// that the rank of the data need not be known, which it is not in all models that run.
func windowAxes(n *convert.Node, data, weights convert.Value) int {
	for _, v := range []convert.Value{weights, data} {
		if rank := n.Rank(v); rank >= 3 {
			return rank - 2
		} else if rank >= 0 {
			n.Fail("the rank is %d, expected at least 3", rank)
			return 1
		}
	}
	if shape := n.IntList("kernel_shape"); shape != nil {
		return len(shape)
	}
	n.Fail("the rank of the weights or of the data must be known")
	return 1
}

// grouped returns weights with the groups as an axis of their own: [groups, -1, ...] in place of
// [..., ...].
func grouped(n *convert.Node, weights convert.Value, groups int64) convert.Value {
	if shape, err := n.Shape(weights).Static(); err == nil && len(shape) > 1 {
		lengths := []int64{groups, int64(shape[0]) / groups}
		for _, length := range shape[1:] {
			lengths = append(lengths, int64(length))
		}
		return n.Reshape(weights, n.IntValues(lengths...), false)
	}
	rest := n.Slice(n.ShapeOf(weights), 0, 1, math.MaxInt64)
	return n.Reshape(weights, n.Concat(0, n.IntValues(groups, -1), rest), false)
}

// biased adds bias, unless it is absent: a number for each channel.
func biased(n *convert.Node, v, bias convert.Value, axes int) convert.Value {
	if bias.Absent() {
		return v
	}
	shape := []int64{1, -1}
	for range axes {
		shape = append(shape, 1)
	}
	return arithmetic.Add(n, v, n.Reshape(bias, n.IntValues(shape...), false))
}

// groupsOf returns the attribute group.
func groupsOf(n *convert.Node) int64 {
	groups := n.Int("group", 1)
	if groups < 1 {
		n.Fail("attribute group is %d, expected at least 1", groups)
		return 1
	}
	return groups
}

// conv is a convolution.
func conv(n *convert.Node) []convert.Value {
	return []convert.Value{Convolve(n, n.Input(0), n.Input(1), n.Input(2))}
}

// Convolve adds a convolution with the attributes of a node that has those of Conv. The weights are
// [outputs, inputs of a group, kernel...]; bias, which can be absent, has a number for each output.
func Convolve(n *convert.Node, data, weights, bias convert.Value) convert.Value {
	axes, groups := windowAxes(n, data, weights), groupsOf(n)
	w := windowOf(n, axes)
	layerType := "Convolution"
	if groups > 1 {
		layerType, weights = "GroupConvolution", grouped(n, weights, groups)
	}
	return biased(n, n.Layer(layerType, 1, w.attributes(), data, weights), bias, axes)
}

// convTranspose is the gradient of a convolution. The weights are [inputs, outputs of a group,
// kernel...]. The lengths of the output can be given: the padding follows from them then.
func convTranspose(n *convert.Node) []convert.Value {
	axes, groups := windowAxes(n, n.Input(0), n.Input(1)), groupsOf(n)
	w := windowOf(n, axes)
	inputs := []convert.Value{n.Input(0), n.Input(1)}
	layerType := "ConvolutionBackpropData"
	if groups > 1 {
		layerType, inputs[1] = "GroupConvolutionBackpropData", grouped(n, inputs[1], groups)
	}
	given, lengths := n.HasAttribute("output_shape"), convert.Value{}
	switch same := w.autoPad == "same_upper" || w.autoPad == "same_lower"; {
	case given:
		shape := n.IntList("output_shape")
		if len(shape) == axes+2 { // some exporters give all lengths
			shape = shape[2:]
		}
		lengths = n.IntValues(shape...)
	case same:
		spatial := n.Slice(n.ShapeOf(n.Input(0)), 0, 2, math.MaxInt64)
		lengths = arithmetic.Multiply(n, spatial, n.IntValues(w.strides...))
	}
	if !lengths.Absent() {
		inputs = append(inputs, lengths)
		// OpenVINO's same_lower cuts an odd element off at the end, as ONNX's SAME_UPPER does.
		if w.autoPad == "same_upper" {
			w.autoPad = "same_lower"
		} else {
			w.autoPad = "same_upper"
		}
	}
	attributes := w.attributes("output_padding", n.IntsOf("output_padding", axes, 0))
	return []convert.Value{biased(n, n.Layer(layerType, 1, attributes, inputs...), n.Input(2), axes)}
}
