// Package sampling converts operators that read an image at places between its elements, or in
// regions: AffineGrid, CropAndResize, DeformConv, GridSample, MaxRoiPool and RoiAlign.
package sampling

import (
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	one, two, three := infer.Arity{Min: 1, Max: 1}, infer.Arity{Min: 2, Max: 2}, infer.Arity{Min: 3, Max: 3}
	return []convert.Rule{
		{Operator: "AffineGrid", Versions: []int{20}, Inputs: two, Outputs: one, Convert: affineGrid},
		{Operator: "DeformConv", Versions: []int{19, 22}, Inputs: infer.Arity{Min: 3, Max: 5}, Outputs: one, Convert: deformConv},
		{Operator: "GridSample", Versions: []int{16, 20, 22}, Inputs: two, Outputs: one, Convert: gridSample},
		{Operator: "MaxRoiPool", Versions: []int{1, 22}, Inputs: two, Outputs: one, Convert: maxRoiPool},
		{Operator: "RoiAlign", Versions: []int{10, 16, 22}, Inputs: three, Outputs: one, Convert: roiAlign},

		{Domain: "com.microsoft", Operator: "CropAndResize", Versions: []int{1}, Inputs: infer.Arity{Min: 4, Max: 4}, Outputs: one, Convert: cropAndResize},
		{Domain: "com.microsoft", Operator: "GridSample", Versions: []int{1}, Inputs: two, Outputs: one, Convert: gridSample},
	}
}

// maxRoiPool takes the largest elements of bins of regions, whose corners are rounded.
func maxRoiPool(n *convert.Node) []convert.Value {
	n.RequireAttribute("pooled_shape")
	pooled := n.IntsOf("pooled_shape", 2, 1)
	attributes := convert.Attributes("pooled_h", pooled[0], "pooled_w", pooled[1], "spatial_scale", n.Float("spatial_scale", 1), "method", "max")
	return []convert.Value{n.Layer("ROIPooling", 2, attributes, n.Input(0), n.Input(1))}
}

// deformConv is a convolution whose window reads places that an input moves. A place that is less
// than one element outside of the image still counts in part.
func deformConv(n *convert.Node) []convert.Value {
	pads := n.IntsOf("pads", 4, 0)
	attributes := convert.Attributes("strides", n.IntsOf("strides", 2, 1), "dilations", n.IntsOf("dilations", 2, 1),
		"pads_begin", pads[:2], "pads_end", pads[2:], "auto_pad", "explicit",
		"group", n.Int("group", 1), "deformable_group", n.Int("offset_group", 1), "bilinear_interpolation_pad", true)
	inputs := []convert.Value{n.Input(0), n.Input(2), n.Input(1)}
	if n.Has(4) {
		inputs = append(inputs, n.Input(4))
	}
	result := n.Layer("DeformableConvolution", 8, attributes, inputs...)
	if n.Has(3) {
		result = arithmetic.Add(n, result, n.Reshape(n.Input(3), n.IntValues(1, -1, 1, 1), false))
	}
	return []convert.Value{result}
}
