package edit

import (
	"slices"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// Preprocess describes the tensor that a program gives for an input, and the steps that make of it
// what the model takes. They become layers of the model, as with OpenVINO's PrePostProcessor:
//
//	b.Preprocess("image", edit.Preprocess{
//		Type: ir.U8, Layout: "NHWC", ModelLayout: "NCHW", Color: "BGR",
//		Size: []ir.Dimension{ir.AnyDim, ir.AnyDim},
//		Steps: []edit.Step{
//			edit.ConvertType(ir.F32), edit.ConvertColor("RGB"), edit.Resize("linear"),
//			edit.Mean(123.675, 116.28, 103.53), edit.Scale(58.395, 57.12, 57.375),
//		},
//	})
//
// After the steps, the type and the layout are converted to those of the model, if they differ.
type Preprocess struct {
	// Type is the element type of the tensor; Dynamic means that of the model.
	Type ir.ElementType
	// Layout has a letter for each axis of the tensor, and ModelLayout one for each axis of the
	// input of the model: "NHWC" and "NCHW". Steps find the channels by C, and rows and columns by
	// H and W. If one is empty, it is the other one.
	Layout, ModelLayout string
	// Size has the height and the width of the tensor; nil means those of the model.
	Size []ir.Dimension
	// Color is the order of the channels, RGB or BGR, for ConvertColor.
	Color string
	Steps []Step
}

// Step is one step of Preprocess.
type Step struct {
	add func(*preprocessor, Source) Source
}

// ConvertType converts the elements to another type.
func ConvertType(t ir.ElementType) Step {
	return Step{func(p *preprocessor, s Source) Source { return p.convert(s, t) }}
}

// ConvertLayout transposes the tensor to another layout.
func ConvertLayout(layout string) Step {
	return Step{func(p *preprocessor, s Source) Source { return p.transpose(s, layout) }}
}

// ConvertColor changes the order of the channels to color: RGB or BGR.
func ConvertColor(color string) Step {
	return Step{func(p *preprocessor, s Source) Source {
		for _, c := range []string{p.color, color} {
			if c != "RGB" && c != "BGR" {
				p.failf("color %s is neither RGB nor BGR", quoted(c))
				return s
			}
		}
		if p.color == color {
			return s
		}
		p.color = color
		return p.reverse(s)
	}}
}

// ReverseChannels reverses the order of the channels.
func ReverseChannels() Step { return Step{(*preprocessor).reverse} }

// Resize resizes the tensor to the height and the width that the model takes. The mode is that of
// an Interpolate-11: nearest, linear, cubic, bilinear_pillow or bicubic_pillow.
func Resize(mode string) Step {
	return Step{func(p *preprocessor, s Source) Source {
		h, w := strings.IndexByte(p.model, 'H'), strings.IndexByte(p.model, 'W')
		if h < 0 || w < 0 {
			p.failf("resize: the layout %s of the model has no H and W", quoted(p.model))
			return s
		}
		rows, columns := p.shape.At(h), p.shape.At(w)
		if rows.IsDynamic() || columns.IsDynamic() {
			p.failf("resize: the model takes any height or width, %v x %v: ResizeTo gives them", rows, columns)
			return s
		}
		return p.resize(s, mode, rows.Min, columns.Min)
	}}
}

// ResizeTo is Resize to a given height and width.
func ResizeTo(mode string, height, width int) Step {
	return Step{func(p *preprocessor, s Source) Source { return p.resize(s, mode, int64(height), int64(width)) }}
}

// Mean subtracts one number for each channel, or one from all elements. The type must be
// floating-point.
func Mean(values ...float64) Step {
	return Step{func(p *preprocessor, s Source) Source { return p.arithmetic(s, "Subtract", values) }}
}

// Scale divides by one number for each channel, or all elements by one. The type must be
// floating-point. As with OpenVINO, it is a multiplication by the rounded inverse.
func Scale(values ...float64) Step {
	return Step{func(p *preprocessor, s Source) Source { return p.arithmetic(s, "Multiply", values) }}
}

// Preprocess adds the steps of p between an input of the model, which is found as by Find, and what
// reads it. The input keeps its names, and has the type and the shape of p. It is an error if a
// step does not fit what comes before it, or if the result does not fit the model.
func (b *Builder) Preprocess(input string, p Preprocess) {
	s := b.Find(input)
	if b.err != nil {
		return
	}
	if s.Layer.Type != "Parameter" {
		b.failAt(s.Layer, "it is no input of the model: pre-processing comes after an input")
		return
	}
	fact := b.Fact(s)
	c := &preprocessor{Builder: b, shape: fact.Shape, color: p.Color, layout: p.Layout, model: p.ModelLayout}
	if c.layout == "" {
		c.layout = c.model
	}
	if c.model == "" {
		c.model = c.layout
	}
	shape, err := c.start(p.Size)
	if err != nil {
		b.failAt(s.Layer, "%w", err)
		return
	}
	t := p.Type
	if t == ir.Dynamic {
		t = fact.Type
	}
	b.InsertAfter(s, func(s Source) Source {
		b.SetInput(s, t, shape)
		for _, step := range p.Steps {
			if b.err != nil {
				return Source{}
			}
			s = step.add(c, s)
		}
		s = c.transpose(c.convert(s, fact.Type), c.model)
		if got := b.Fact(s).Shape; b.err == nil && !got.Compatible(fact.Shape) {
			b.failf("the steps give %v, the model takes %v", got, fact.Shape)
		}
		return s
	})
	if b.err != nil {
		b.err = &ir.LayerError{Layer: s.Layer, Err: faults.Errorf("pre-processing: %w", b.err)}
	}
}

// Postprocess describes the tensor that a program gets for an output.
type Postprocess struct {
	// Type is the element type of the tensor; Dynamic means that of the model.
	Type ir.ElementType
	// Layout has a letter for each axis of the tensor, and ModelLayout one for each axis of the
	// output of the model. Without them, the axes stay as they are.
	Layout, ModelLayout string
}

// Postprocess converts an output of the model, which is found as by Find, to a type and a layout.
// The names of the output move to the new tensor.
func (b *Builder) Postprocess(output string, p Postprocess) {
	s := b.Find(output)
	if b.err != nil {
		return
	}
	if !slices.ContainsFunc(b.model.Results, func(r *ir.Layer) bool { return !b.removed[r] && len(r.Inputs) > 0 && SourceOf(r.Inputs[0]) == s }) {
		b.failAt(s.Layer, "output %d is no output of the model", s.Output)
		return
	}
	fact := b.Fact(s)
	c := &preprocessor{Builder: b, shape: fact.Shape, layout: p.ModelLayout, model: p.Layout}
	if _, err := c.start(nil); err != nil {
		b.failAt(s.Layer, "%w", err)
		return
	}
	to := s
	if p.Type != ir.Dynamic {
		to = c.convert(to, p.Type)
	}
	if to = c.transpose(to, p.Layout); b.err != nil || to == s {
		return
	}
	for _, r := range b.model.Results {
		if len(r.Inputs) > 0 && SourceOf(r.Inputs[0]) == s {
			b.editor.Connect(&r.Inputs[0], to)
		}
	}
	b.moveNames(s, to)
}

// preprocessor is the state between two steps. layout is that of the tensor, model that of the
// model, and shape the shape that the model takes.
type preprocessor struct {
	*Builder
	shape                ir.PartialShape
	color, layout, model string
}

// start checks the layouts, and returns the shape of the tensor before the first step.
func (p *preprocessor) start(size []ir.Dimension) (ir.PartialShape, error) {
	for _, layout := range []string{p.layout, p.model} {
		for i, letter := range layout {
			if letter < 'A' || letter > 'Z' || strings.IndexRune(layout, letter) != i {
				return ir.PartialShape{}, faults.Errorf("layout %s is not made of different letters from A to Z", quoted(layout))
			}
		}
		if layout != "" && p.shape.RankKnown() && len(layout) != p.shape.Rank() {
			return ir.PartialShape{}, faults.Errorf("layout %s has %d axes, the shape %v of the model has %d", quoted(layout), len(layout), p.shape, p.shape.Rank())
		}
	}
	shape := p.shape
	if p.layout != p.model && p.shape.RankKnown() {
		order, err := permutation(p.layout, p.model)
		if err != nil {
			return ir.PartialShape{}, err
		}
		dims := make([]ir.Dimension, len(order))
		for i, axis := range order {
			dims[axis] = p.shape.At(i)
		}
		shape = ir.ShapeOf(dims...)
	}
	if size == nil {
		return shape, nil
	}
	h, w := strings.IndexByte(p.layout, 'H'), strings.IndexByte(p.layout, 'W')
	if len(size) != 2 || h < 0 || w < 0 || !shape.RankKnown() {
		return ir.PartialShape{}, faults.Errorf("a size of %d lengths with layout %s and shape %v: expected a height and a width, and a layout with H and W", len(size), quoted(p.layout), shape)
	}
	return shape.With(h, size[0]).With(w, size[1]), nil
}

// permutation returns, for each letter of to, its axis in from.
func permutation(from, to string) ([]int64, error) {
	if len(from) != len(to) {
		return nil, faults.Errorf("layouts %s and %s have not the same axes", quoted(from), quoted(to))
	}
	order := make([]int64, len(to))
	for i := range to {
		axis := strings.IndexByte(from, to[i])
		if axis < 0 {
			return nil, faults.Errorf("layouts %s and %s have not the same axes", quoted(from), quoted(to))
		}
		order[i] = int64(axis)
	}
	return order, nil
}

// convert converts s to type t.
func (p *preprocessor) convert(s Source, t ir.ElementType) Source {
	if p.err != nil || p.Fact(s).Type == t {
		return s
	}
	return p.Layer("Convert", 1, Attributes("destination_type", t.String()), s)
}

// transpose changes the layout of s.
func (p *preprocessor) transpose(s Source, layout string) Source {
	if p.err != nil || p.layout == layout {
		return s
	}
	order, err := permutation(p.layout, layout)
	if err != nil {
		p.fail(err)
		return s
	}
	p.layout = layout
	return p.Layer("Transpose", 1, nil, s, p.ConstantOf(order))
}

// channels returns the axis of the channels of s.
func (p *preprocessor) channels(what string, s Source) (axis int, ok bool) {
	axis = strings.IndexByte(p.layout, 'C')
	if axis < 0 {
		p.failf("%s: the layout %s has no C", what, quoted(p.layout))
	}
	return axis, axis >= 0 && p.err == nil
}

// reverse reverses the channels.
func (p *preprocessor) reverse(s Source) Source {
	axis, ok := p.channels("order of channels", s)
	if !ok {
		return s
	}
	n := p.Fact(s).Shape.At(axis)
	if n.IsDynamic() || n.Min > 1<<16 {
		p.failf("order of channels: their number is %v", n)
		return s
	}
	order := make([]int32, n.Min)
	for i := range order {
		order[i] = int32(len(order) - 1 - i)
	}
	return p.Layer("Gather", 8, Attributes("batch_dims", "0"), s, p.ConstantOf(order), p.ConstantOf([]int32{int32(axis)}))
}

// resize resizes s to height rows and width columns.
func (p *preprocessor) resize(s Source, mode string, height, width int64) Source {
	h, w := strings.IndexByte(p.layout, 'H'), strings.IndexByte(p.layout, 'W')
	switch {
	case h < 0 || w < 0:
		p.failf("resize: the layout %s has no H and W", quoted(p.layout))
		return s
	case height < 1 || width < 1:
		p.failf("resize: %d x %d has no pixels", height, width)
		return s
	}
	coefficient := "-0.75"
	if mode == "bicubic_pillow" {
		// Pillow's. OpenVINO's CPU plugin takes it whatever the layer says; the specification does
		// not.
		coefficient = "-0.5"
	}
	return p.Layer("Interpolate", 11, Attributes(
		"mode", mode, "shape_calculation_mode", "sizes", "coordinate_transformation_mode", "half_pixel",
		"nearest_mode", "round_prefer_floor", "antialias", "false", "pads_begin", "0, 0, 0, 0", "pads_end", "0, 0, 0, 0", "cube_coeff", coefficient,
	), s, p.ConstantOf([]int64{height, width}), p.ConstantOf([]int64{int64(h), int64(w)}))
}

// arithmetic subtracts values from s, or multiplies s by their inverses.
func (p *preprocessor) arithmetic(s Source, layerType string, values []float64) Source {
	what := map[string]string{"Subtract": "mean", "Multiply": "scale"}[layerType]
	fact := p.Fact(s)
	if p.err != nil {
		return s
	}
	if !fact.Type.IsReal() || fact.Type.Bits() < 16 {
		p.failf("%s: the type is %v, which is not floating-point: ConvertType before it", what, fact.Type)
		return s
	}
	shape := []int{len(values)}
	if len(values) != 1 {
		axis, ok := p.channels(what, s)
		if !ok {
			return s
		}
		if n := fact.Shape.At(axis); !n.Contains(int64(len(values))) {
			p.failf("%s: there are %d values, and %v channels in %v", what, len(values), n, fact.Shape)
			return s
		}
		shape = slices.Repeat([]int{1}, len(p.layout))
		shape[axis] = len(values)
	}
	tensor, err := ir.NewTensor(fact.Type, shape...)
	if err != nil {
		p.fail(err)
		return s
	}
	number := tensor.Values()
	for i, v := range values {
		tensor.SetValue(i, v)
		if layerType == "Multiply" {
			tensor.SetValue(i, 1/number(i))
		}
		if n := number(i); n-n != 0 {
			p.failf("%s: value %d is %v, which is %v as %v", what, i, v, n, fact.Type)
			return s
		}
	}
	return p.Layer(layerType, 1, Attributes("auto_broadcast", "numpy"), s, p.Constant(tensor))
}
