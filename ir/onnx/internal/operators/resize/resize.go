// Package resize converts Resize and Upsample, which give some axes of a tensor other lengths and
// compute the new elements from those around their place.
//
// What OpenVINO's Interpolate says exactly is one layer. The rest is computed axis by axis: nearest
// elements by a Gather, and the others by a product with a matrix that has, for each new element,
// the weights of the old ones. Matrices of known lengths are constants.
package resize

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	one, two := infer.Arity{Min: 1, Max: 1}, infer.Arity{Min: 2, Max: 2}
	return []convert.Rule{
		{Operator: "Resize", Versions: []int{10}, Inputs: two, Outputs: one, Convert: upsample},
		{Operator: "Resize", Versions: []int{11, 13, 18, 19}, Inputs: infer.Arity{Min: 1, Max: 4}, Outputs: one, Convert: resize},
		{Operator: "Upsample", Versions: []int{1, 7}, Inputs: one, Outputs: one, Convert: upsample},
		{Operator: "Upsample", Versions: []int{9, 10}, Inputs: two, Outputs: one, Convert: upsample},
	}
}

// request is what a node asks for.
type request struct {
	mode, coordinates, nearest, policy string
	antialias, excludeOutside          bool
	cubic, extrapolation               float32
	// axes are those that sizes, scales and roi are for, in their order; nil stands for all.
	axes []int64
	// roi, scales and sizes are absent if they are not given, or have no elements.
	roi, scales, sizes convert.Value
}

// resize reads the form that Resize has since version 11.
func resize(n *convert.Node) []convert.Value {
	r := request{
		mode: n.Enum("mode", "nearest", "nearest", "linear", "cubic"),
		coordinates: n.Enum("coordinate_transformation_mode", "half_pixel", "half_pixel", "half_pixel_symmetric",
			"pytorch_half_pixel", "align_corners", "asymmetric", "tf_half_pixel_for_nn", cropAndResize),
		nearest:        n.Enum("nearest_mode", "round_prefer_floor", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"),
		policy:         n.Enum("keep_aspect_ratio_policy", "stretch", "stretch", "not_larger", "not_smaller"),
		antialias:      n.Bool("antialias", false),
		excludeOutside: n.Bool("exclude_outside", false),
		cubic:          n.Float("cubic_coeff_a", -0.75),
		extrapolation:  n.Float("extrapolation_value", 0),
		axes:           n.IntList("axes"),
	}
	r.roi, r.scales, r.sizes = given(n, 1), given(n, 2), given(n, 3)
	if !r.sizes.Absent() {
		r.scales = convert.Value{}
	} else if r.scales.Absent() {
		n.Fail("neither scales nor sizes are given")
	}
	if r.coordinates == cropAndResize && r.roi.Absent() {
		n.Fail("roi is absent, and %s requires it", cropAndResize)
	}
	if r.mode == "nearest" {
		r.antialias, r.excludeOutside = false, false
	}
	return r.convert(n)
}

// cropAndResize is the mode in which roi says which part of each axis is resized.
const cropAndResize = "tf_crop_and_resize"

// given returns an input; absent if it has no elements.
func given(n *convert.Node, i int) convert.Value {
	v := n.Input(i)
	if shape := n.Shape(v); shape.Rank() == 1 && shape.At(0) == ir.Dim(0) {
		return convert.Value{}
	}
	return v
}

// upsample reads the form of Upsample and of the first Resize, which differ in where the scales
// are. The nearest element is the one before or, along an axis that shrinks, the one behind.
func upsample(n *convert.Node) []convert.Value {
	r := request{coordinates: "asymmetric", nearest: "simple", policy: "stretch"}
	r.mode = n.Enum("mode", "nearest", "nearest", "linear", "bilinear")
	if r.mode == "bilinear" {
		r.mode = "linear"
	}
	switch {
	case n.Has(1):
		r.scales = n.Input(1)
	case n.Version == 1:
		n.RequireAttribute("height_scale")
		n.RequireAttribute("width_scale")
		r.axes = []int64{2, 3}
		r.scales = n.ValueOf([]float32{n.Float("height_scale", 1), n.Float("width_scale", 1)})
	default:
		n.RequireAttribute("scales")
		r.scales = n.ValueOf(n.FloatList("scales"))
	}
	return r.convert(n)
}

// convert adds the layers.
func (r *request) convert(n *convert.Node) []convert.Value {
	if n.Failed() {
		return nil
	}
	if !r.isInterpolate(n) {
		return []convert.Value{r.byAxis(n)}
	}
	return []convert.Value{r.interpolate(n)}
}

// interpolated are the types that the layer Interpolate computes.
var interpolated = []ir.ElementType{ir.F32, ir.F16, ir.BF16, ir.F64, ir.I8, ir.U8, ir.I32, ir.I64}

// isInterpolate reports whether the layer Interpolate computes the same.
func (r *request) isInterpolate(n *convert.Node) bool {
	return !r.antialias && !r.excludeOutside && r.policy == "stretch" &&
		r.coordinates != cropAndResize && r.coordinates != "half_pixel_symmetric" &&
		slices.Contains(interpolated, n.Type(n.Input(0)))
}

// interpolate adds an Interpolate of the axes that change.
func (r *request) interpolate(n *convert.Node) convert.Value {
	data, lengths, calculation := n.Input(0), r.scales, "scales"
	if lengths.Absent() {
		lengths, calculation = r.sizes, "sizes"
	}
	axes := r.axes
	if rank := n.Rank(data); rank >= 0 {
		axes = r.allAxes(n, rank)
	}
	changed := r.changed(n, axes)
	if n.Failed() {
		return convert.Value{}
	}
	if len(changed) < len(axes) {
		if len(changed) == 0 {
			return data
		}
		kept := make([]int64, len(changed))
		for i, k := range changed {
			kept[i] = axes[k]
		}
		lengths, axes = arithmetic.Gather(n, lengths, n.IntValues(changed...), 0), kept
	}
	mode := r.mode
	if mode == "linear" {
		mode = "linear_onnx"
	}
	attributes := convert.Attributes("mode", mode, "shape_calculation_mode", calculation,
		"coordinate_transformation_mode", r.coordinates, "nearest_mode", r.nearest, "cube_coeff", r.cubic)
	inputs := []convert.Value{data, lengths}
	if axes != nil {
		inputs = append(inputs, n.IntValues(axes...))
	}
	return n.Layer("Interpolate", 11, attributes, inputs...)
}

// allAxes returns the axes of data of a rank, counted from the start.
func (r *request) allAxes(n *convert.Node, rank int) []int64 {
	if r.axes == nil {
		axes := make([]int64, rank)
		for i := range axes {
			axes[i] = int64(i)
		}
		return axes
	}
	axes := make([]int64, len(r.axes))
	for i, axis := range r.axes {
		axes[i] = int64(n.Axis(axis, rank))
	}
	return axes
}

// changed returns the places in axes of those that are not known to keep their length.
func (r *request) changed(n *convert.Node, axes []int64) []int64 {
	scales, sizes := n.Constant(r.scales), n.Constant(r.sizes)
	shape := n.Shape(n.Input(0))
	var places []int64
	for i, axis := range axes {
		keeps := scales != nil && i < scales.Len() && scales.Values()(i) == 1
		if sizes != nil && r.policy == "stretch" && i < sizes.Len() && shape.Rank() > int(axis) && axis >= 0 {
			d := shape.At(int(axis))
			keeps = d.IsStatic() && float64(d.Min) == sizes.Values()(i)
		}
		if !keeps {
			places = append(places, int64(i))
		}
	}
	return places
}
