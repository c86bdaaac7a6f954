// Package check holds what the shape rules of many families ask of their inputs:
// ranks, element types, and the lengths that inputs hold.
package check

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
)

// Rank returns an error unless an input of shape s can be of the given rank.
func Rank(name string, s ir.PartialShape, rank int) error {
	if s.RankKnown() && s.Rank() != rank {
		return fmt.Errorf("%s has shape %v, expected rank %d", name, s, rank)
	}
	return nil
}

// OneElement returns an error unless an input of shape s can be a scalar or a vector
// of one element.
func OneElement(name string, s ir.PartialShape) error {
	if !s.Compatible(ir.ShapeOf()) && !s.Compatible(ir.StaticShape(1)) {
		return fmt.Errorf("%s has shape %v, not that of a scalar or of one element", name, s)
	}
	return nil
}

// OneElementIfStatic is OneElement that, as some rules of OpenVINO, asks nothing of
// a shape that is not static.
func OneElementIfStatic(name string, s ir.PartialShape) error {
	if !s.IsStatic() {
		return nil
	}
	return OneElement(name, s)
}

// ScalarIfStatic returns an error if an input of static shape s is no scalar. Of
// shapes that are not static nothing is asked.
func ScalarIfStatic(name string, s ir.PartialShape) error {
	if s.IsStatic() && s.Rank() > 0 {
		return fmt.Errorf("%s has shape %v, not that of a scalar", name, s)
	}
	return nil
}

// AxesIfStatic returns an error if axes, an input of static shape, is no vector, or
// has more elements than data has axes. Of shapes that are not static nothing is
// asked.
func AxesIfStatic(axes, data ir.PartialShape) error {
	if !axes.IsStatic() {
		return nil
	}
	if axes.Rank() != 1 {
		return fmt.Errorf("axes has shape %v, not that of a vector", axes)
	}
	if data.RankKnown() && axes.At(0).Min > int64(data.Rank()) {
		return fmt.Errorf("axes has shape %v, more than the axes of data, %v", axes, data)
	}
	return nil
}

// Sorted returns an error unless the known values of an input are in rising order.
func Sorted(name string, values []int64) error {
	for i := 1; i < len(values); i++ {
		if values[i] < values[i-1] {
			return fmt.Errorf("%s is not sorted: element %d is %d, behind %d", name, i, values[i], values[i-1])
		}
	}
	return nil
}

// Constant reports whether input i of layer is a Constant, where that is more than
// that its value is known.
func Constant(layer *ir.Layer, i int) bool {
	return layer != nil && i < len(layer.Inputs) && layer.Inputs[i].Source != nil && layer.Inputs[i].Source.Type == "Constant"
}
