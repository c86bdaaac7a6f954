package unique

import (
	"errors"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// shapes holds the shape of output_data, and the lengths of the other outputs.
type shapes struct {
	data                  ir.PartialShape
	first, reverse, count ir.Dimension
}

func infer(in *ops.Inference) error {
	at := in.Attributes.(attributes)
	s, err := shapesOf(in)
	if err != nil {
		return err
	}
	return ops.SetOutputs(in,
		ir.Fact{Type: in.Inputs[0].Type, Shape: s.data},
		ir.Fact{Type: at.indexType, Shape: ir.ShapeOf(s.first)},
		ir.Fact{Type: at.indexType, Shape: ir.ShapeOf(s.reverse)},
		ir.Fact{Type: at.countType, Shape: ir.ShapeOf(s.count)})
}

// shapesOf returns the shapes of the outputs. Like OpenVINO, it counts the unique elements of a
// Constant. Of other data it reads only the shape, even if the values are known.
func shapesOf(in *ops.Inference) (shapes, error) {
	data := &in.Inputs[0]
	constant := check.Constant(in.Layer, 0) && data.Tensor != nil && len(data.Tensor.Bytes()) <= maxCompared
	if !constant {
		if err := checkAxis(in); err != nil {
			return shapes{}, err
		}
	}
	axis, along, err := axisOf(in)
	if err != nil {
		return shapes{}, err
	}
	switch {
	case constant && along:
		return constantSlices(data.Tensor, axis)
	case constant:
		return constantElements(data.Tensor)
	case along:
		return alongAxis(data.Shape, axis), nil
	case len(in.Inputs) > 1: // the rank of data is unknown
		return shapes{ir.UnknownRank, ir.AnyDim, ir.AnyDim, ir.AnyDim}, nil
	}
	unique, all := elements(data.Shape)
	return shapes{ir.ShapeOf(unique), unique, all, unique}, nil
}

// checkAxis checks that the axis, if there is one, is a Constant of one element.
func checkAxis(in *ops.Inference) error {
	if len(in.Inputs) < 2 {
		return nil
	}
	axis := &in.Inputs[1]
	if err := check.KnownIndex("axis", axis.Type); err != nil {
		return err
	}
	if s := axis.Shape; !s.Equal(ir.ShapeOf()) && !s.Equal(ir.StaticShape(1)) {
		return faults.Errorf("axis has shape %v, not that of a scalar or of one element", s)
	}
	if _, known := axis.Ints(); !known || !constantAxis(in.Layer) {
		return errors.New("axis is not a Constant")
	}
	return nil
}

// constantAxis reports whether the axis of layer is a Constant. It returns true if the source is
// unknown.
func constantAxis(layer *ir.Layer) bool {
	return layer == nil || len(layer.Inputs) < 2 || check.Constant(layer, 1)
}

// axisOf returns the axis; false if there is none, or if it or the rank of data is unknown.
func axisOf(in *ops.Inference) (int, bool, error) {
	if len(in.Inputs) < 2 || !in.Inputs[0].Shape.RankKnown() {
		return 0, false, nil
	}
	values, known := in.Inputs[1].Ints()
	if !known || len(values) == 0 || !constantAxis(in.Layer) {
		return 0, false, nil
	}
	axis, err := index.Axis(values[0], in.Inputs[0].Shape.Rank())
	return axis, true, err
}

// elements returns the number of unique elements of data of shape s, and the number of all
// elements.
func elements(s ir.PartialShape) (unique, all ir.Dimension) {
	n := s.Elements()
	if !s.IsStatic() || n.IsDynamic() || n.Min == 0 {
		return ir.AnyDim, ir.AnyDim
	}
	return ir.DimRange(1, n.Min), n
}

// alongAxis returns the shapes for the slices along axis of data of shape s.
func alongAxis(s ir.PartialShape, axis int) shapes {
	found, _ := elements(s)
	d := s.At(axis)
	slice := ir.DimRange(1, d.Max)
	switch d {
	case ir.AnyDim:
		slice = d
	case ir.Dim(0):
		slice, found = d, d
	}
	return shapes{s.With(axis, slice), found, d, found}
}
