package reshape

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// Inputs returns a copy of m whose inputs have other shapes, as OpenVINO's Model::reshape does.
// The keys of shapes are names of Parameter layers or of their tensors. The shapes need not be
// compatible with those in the file, and the model may be invalid with them: infer.Propagate
// and validate.Model report that. The ports of the copy have no declared dims, because those in
// the file are for the old shapes; the declared types stay.
//
// Many files have the batch size at export as a constant. If a shape is given for an input that
// was dynamic or had another shape, Inputs relaxes the patterns that OpenVINO relaxes. The
// shapes before the change decide which layers match:
//
//   - A Reshape to a vector, with a constant pattern: the vector has all elements of the input.
//   - A Reshape to a matrix that only a MatMul reads: the length of the axis that is summed over
//     comes from the other input of the MatMul, and the other axis has the remaining elements. A
//     Transpose of the last two axes between the two becomes part of the MatMul.
//   - A Reshape to [-1, K], a MatMul with a Constant, an optional Add of a Constant, and a
//     Reshape back to constant lengths: the first axis keeps its length.
//   - A Squeeze of constant axes before or after a StridedSlice: they become one StridedSlice,
//     which takes one element of each of these axes, whatever the length.
//   - Initial states of an LSTMCell that are Constants of batch 1, for a cell in the graph or in
//     a TensorIterator: they are broadcast to the batch of the cell's input.
//   - A Constant 0, 1, 2, ... that a bidirectional Broadcast reads: its length is that of the
//     target shape.
//   - A Proposal: it uses the image information of the first image.
//
// Two steps of OpenVINO are left out because they change no shape: ShapeOf of a Constant is
// known to infer.Propagate anyway, and equal layers are not merged. Where a layer must have a
// single reader, equal readers count as one.
//
// A layer that is added has the name of the layer that it is added for, followed by a slash and
// its role, the same line, and an id above those in the file.
//
// If ctx is done, Inputs returns its error.
func Inputs(ctx context.Context, m *ir.Model, rules infer.Rules, shapes map[string]ir.PartialShape) (*ir.Model, error) {
	c := m.Clone()
	given := make(map[*ir.Layer]ir.PartialShape, len(shapes))
	for name, shape := range shapes {
		p, err := c.Parameter(name)
		if err != nil {
			return nil, err
		}
		if err := ir.CheckRank(shape.Rank()); err != nil {
			return nil, fmt.Errorf("input %.200q: %w", name, err)
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
	before, err := infer.Propagate(ctx, c, rules, nil)
	if before == nil {
		return nil, err
	}
	if slices.ContainsFunc(c.Parameters, func(p *ir.Layer) bool {
		shape, ok := given[p]
		old := before.Outputs(p)[0].Shape
		return ok && (!old.IsStatic() || !old.Equal(shape))
	}) {
		if err := relax(ctx, c, rules, before); err != nil {
			return nil, err
		}
	}
	for p, shape := range given {
		p.SetAttribute("shape", strings.Trim(shape.String(), "[]"))
	}
	return c, nil
}

// forgetDims removes the declared dims from all ports of m and of the bodies in it.
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
