// Package experimental converts operators that early versions of ONNX had on trial, and that old
// files hold: Affine, Crop, ImageScaler, ParametricSoftplus, ScaledTanh and ThresholdedRelu.
package experimental

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	one := infer.Arity{Min: 1, Max: 1}
	rule := func(operator string, f func(*convert.Node) []convert.Value) convert.Rule {
		return convert.Rule{Operator: operator, Versions: []int{1}, Inputs: one, Outputs: one, Convert: f}
	}
	return []convert.Rule{
		rule("Affine", function),
		rule("Crop", crop),
		rule("ImageScaler", imageScaler),
		rule("ParametricSoftplus", function),
		rule("ScaledTanh", function),
		rule("ThresholdedRelu", function),
	}
}

// function applies the activation function that the operator is.
func function(n *convert.Node) []convert.Value {
	return []convert.Value{arithmetic.Operator(n, n.Operator(), n.Input(0))}
}

// imageScaler multiplies an image by a factor, and adds a number for each channel.
func imageScaler(n *convert.Node) []convert.Value {
	scaled := arithmetic.Times(n, n.Input(0), float64(n.Float("scale", 1)))
	bias := n.FloatList("bias")
	if len(bias) == 0 {
		return []convert.Value{scaled}
	}
	channels := n.Convert(n.ValueOf(bias, 1, len(bias), 1, 1), n.Type(scaled))
	return []convert.Value{arithmetic.Add(n, scaled, channels)}
}

// crop cuts columns and rows off an image: border has those on the left, at the top, on the right
// and at the bottom. With scale, which is a height and a width, the last two do not count.
func crop(n *convert.Node) []convert.Value {
	border, scale := n.IntList("border"), n.IntList("scale")
	if len(border) != 4 || len(scale) != 0 && len(scale) != 2 {
		n.Fail("attributes border and scale have %d and %d numbers, expected 4, and 0 or 2", len(border), len(scale))
		return nil
	}
	for _, v := range slices.Concat(border, scale) {
		if v < 0 || v > math.MaxInt32 {
			n.Fail("attribute border or scale has %d, expected 0 to %d", v, math.MaxInt32)
			return nil
		}
	}
	left, top := border[0], border[1]
	right, bottom := end(border[2]), end(border[3])
	if len(scale) == 2 {
		right, bottom = left+scale[1], top+scale[0]
	}
	starts, ends := n.IntValues(top, left), n.IntValues(bottom, right)
	return []convert.Value{n.Layer("Slice", 8, nil, n.Input(0), starts, ends, n.IntValues(1, 1), n.IntValues(2, 3))}
}

// end returns the end of a slice that leaves out elements at the end of an axis.
func end(elements int64) int64 {
	if elements == 0 {
		return math.MaxInt64
	}
	return -elements
}
