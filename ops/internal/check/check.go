// Package check holds checks of inputs that the shape rules of many families share: ranks,
// element types, and inputs that hold lengths.
package check

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// Rank returns an error unless s can have the given rank. name is the name of the input in the
// error.
func Rank(name string, s ir.PartialShape, rank int) error {
	if s.RankKnown() && s.Rank() != rank {
		return faults.Errorf("%s has shape %v, expected rank %d", name, s, rank)
	}
	return nil
}

// OneElement returns an error unless s can be the shape of a scalar or of a vector of one
// element.
func OneElement(name string, s ir.PartialShape) error {
	if !s.Compatible(ir.ShapeOf()) && !s.Compatible(ir.StaticShape(1)) {
		return faults.Errorf("%s has shape %v, not that of a scalar or of one element", name, s)
	}
	return nil
}

// OneElementIfStatic is OneElement for static shapes. It accepts other shapes, as some rules of
// OpenVINO do.
func OneElementIfStatic(name string, s ir.PartialShape) error {
	if !s.IsStatic() {
		return nil
	}
	return OneElement(name, s)
}

// ScalarIfStatic returns an error if s is static and not the shape of a scalar.
func ScalarIfStatic(name string, s ir.PartialShape) error {
	if s.IsStatic() && s.Rank() > 0 {
		return faults.Errorf("%s has shape %v, not that of a scalar", name, s)
	}
	return nil
}

// AxesIfStatic checks the shape of the input axes if it is static: it must be a vector without
// more elements than data has axes.
func AxesIfStatic(axes, data ir.PartialShape) error {
	if !axes.IsStatic() {
		return nil
	}
	if axes.Rank() != 1 {
		return faults.Errorf("axes has shape %v, not that of a vector", axes)
	}
	if data.RankKnown() && axes.At(0).Min > int64(data.Rank()) {
		return faults.Errorf("axes has shape %v, more than the axes of data, %v", axes, data)
	}
	return nil
}

// Sorted returns an error unless the values are in ascending order.
func Sorted(name string, values []int64) error {
	for i := 1; i < len(values); i++ {
		if values[i] < values[i-1] {
			return faults.Errorf("%s is not sorted: element %d is %d, behind %d", name, i, values[i], values[i-1])
		}
	}
	return nil
}

// Constant reports whether input i of layer is a Constant layer. Some rules of OpenVINO need
// more than a known value.
func Constant(layer *ir.Layer, i int) bool {
	return layer != nil && i < len(layer.Inputs) && layer.Inputs[i].Source != nil && layer.Inputs[i].Source.Type == "Constant"
}
