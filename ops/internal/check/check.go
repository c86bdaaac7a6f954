// Package check holds what the shape rules of many families ask of one input.
package check

import (
	"fmt"
	"math"

	"github.com/vinoir/vinoir/ir"
)

// Rank returns an error unless an input of shape s can be of the given rank.
func Rank(name string, s ir.PartialShape, rank int) error {
	if s.RankKnown() && s.Rank() != rank {
		return fmt.Errorf("%s has shape %v, expected rank %d", name, s, rank)
	}
	return nil
}

// OneElement returns an error if an input of shape s is neither a scalar nor a
// vector of one element. Of shapes that are not static nothing is asked.
func OneElement(name string, s ir.PartialShape) error {
	if s.IsStatic() && s.Rank() > 0 && (s.Rank() > 1 || s.At(0) != ir.Dim(1)) {
		return fmt.Errorf("%s has shape %v, not that of a scalar or of one element", name, s)
	}
	return nil
}

// MaybeOneElement returns an error unless an input of shape s can be a scalar or a
// vector of one element.
func MaybeOneElement(name string, s ir.PartialShape) error {
	if !s.Compatible(ir.ShapeOf()) && !s.Compatible(ir.StaticShape(1)) {
		return fmt.Errorf("%s has shape %v, not that of a scalar or of one element", name, s)
	}
	return nil
}

// Integer returns an error unless t is a type of integers, or not known.
func Integer(name string, t ir.ElementType) error {
	if !t.IsInteger() && t != ir.Dynamic {
		return fmt.Errorf("%s is %v, not a type of integers", name, t)
	}
	return nil
}

// Number returns an error unless t is a type of integers or of floats, or not known.
func Number(name string, t ir.ElementType) error {
	if !t.IsInteger() && !t.IsFloat() && t != ir.Dynamic {
		return fmt.Errorf("%s is %v, not a type of numbers", name, t)
	}
	return nil
}

// Real returns an error unless t is a floating-point type to OpenVINO, or not known.
func Real(name string, t ir.ElementType) error {
	if t != ir.Dynamic && !t.IsReal() {
		return fmt.Errorf("%s is %v, expected a floating-point type", name, t)
	}
	return nil
}

// Index returns an error unless t is i32 or i64.
func Index(name string, t ir.ElementType) error {
	if t != ir.I32 && t != ir.I64 {
		return fmt.Errorf("%s is %v, expected i32 or i64", name, t)
	}
	return nil
}

// IndexOrDynamic is Index that also takes a type that is not known.
func IndexOrDynamic(name string, t ir.ElementType) error {
	if t == ir.Dynamic {
		return nil
	}
	return Index(name, t)
}

// IndexAttribute reads an attribute that is an element type, i32 or i64.
func IndexAttribute(a *ir.Attributes, name string, def ir.ElementType) ir.ElementType {
	t := a.ElementType(name, def)
	if t != ir.I32 && t != ir.I64 {
		a.Fail(name, "%v is neither i32 nor i64", t)
	}
	return t
}

// Length returns the lengths that a value read as one can be.
func Length(name string, v ir.Interval) (ir.Dimension, error) {
	switch {
	case v.Min == math.MinInt64 && v.Max >= 0: // nothing is known below
		return ir.DimRange(0, v.Max), nil
	case v.Min == ir.Unbounded:
		return ir.AnyDim, nil
	case v.Min < 0:
		return ir.Dimension{}, fmt.Errorf("%s is negative: %d", name, v.Min)
	}
	return ir.DimRange(v.Min, v.Max), nil
}

// Constant reports whether input i of layer is a Constant, where that is more than
// that its value is known.
func Constant(layer *ir.Layer, i int) bool {
	return layer != nil && i < len(layer.Inputs) && layer.Inputs[i].Source != nil && layer.Inputs[i].Source.Type == "Constant"
}
