package reshape

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// Inputs returns a copy of m whose inputs have other shapes, as OpenVINO's
// Model::reshape makes it. A name is that of a Parameter layer or of its tensor. The
// shapes need not fit those of the file, nor the model: Propagate and Validate say
// what becomes of it. The ports of the copy have no declared dims, as those of the
// file are of other inputs; their types stay.
//
// A file often holds the batch that it was written for as a constant. Where a shape
// is not what the input has already, the copy is relaxed in the patterns that
// OpenVINO knows, by what the shapes were before:
//
//   - A Reshape to a constant vector takes all elements that there are.
//   - A Reshape to a matrix that a MatMul alone reads takes the axis that is
//     multiplied from the other input, and the rest for the other axis; a Transpose
//     of the last two axes between the two becomes part of the MatMul.
//   - A Reshape to [-1, K], a MatMul with a Constant, maybe an Add of one, and a
//     Reshape back to constant lengths keep the first axis.
//   - A Squeeze of constant axes and a StridedSlice before or behind it become one
//     StridedSlice, which takes one element of these axes, however many there are.
//   - Initial states of an LSTMCell that are Constants of batch 1 are broadcast to
//     the batch of its input, also where the cell is in a TensorIterator.
//   - A Constant 0, 1, 2, ... that a bidirectional Broadcast reads is as long as the
//     target shape says.
//   - A Proposal takes the image information of the first image.
//
// Two of OpenVINO's steps are left out as they change no shape. ShapeOf of a Constant
// is known to Propagate in any case. Layers that are equal and read the same do not
// become one, though they count as one where a layer has to have a single reader.
//
// A layer that is added has the name of the one it is added for, with its part in
// it behind a slash, the line of that one, and an id above those of the file.
func Inputs(m *ir.Model, rules infer.Rules, shapes map[string]ir.PartialShape) (*ir.Model, error) {
	c := m.Clone()
	given := make(map[*ir.Layer]ir.PartialShape, len(shapes))
	for name, shape := range shapes {
		p, err := c.Parameter(name)
		if err != nil {
			return nil, err
		}
		if other, twice := given[p]; twice && !other.Equal(shape) {
			return nil, fmt.Errorf("input %q has shape %v, and %v under another of its names", name, shape, other)
		}
		given[p] = shape
	}
	if len(given) == 0 {
		return c, nil
	}
	forgetDims(c)
	before, _ := infer.Propagate(c, rules, nil)
	if slices.ContainsFunc(c.Parameters, func(p *ir.Layer) bool {
		shape, ok := given[p]
		old := before.Outputs(p)[0].Shape
		return ok && (!old.IsStatic() || !old.Equal(shape))
	}) {
		if err := relax(c, rules, before); err != nil {
			return nil, err
		}
	}
	for p, shape := range given {
		p.SetAttribute("shape", strings.Trim(shape.String(), "[]"))
	}
	return c, nil
}

// forgetDims takes the declared dims off all ports of m, those of bodies too.
func forgetDims(m *ir.Model) {
	for _, layer := range m.Layers {
		for i := range layer.Inputs {
			layer.Inputs[i].Declared = ir.UnknownRank
		}
		for i := range layer.Outputs {
			layer.Outputs[i].Declared = ir.UnknownRank
		}
		for i := range layer.Bodies {
			forgetDims(layer.Bodies[i].Model)
		}
	}
}
