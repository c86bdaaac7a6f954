// Package detection holds what the shape rules of the layers that detect objects
// share: their element types, numbers of 32 bits, bounds of lengths, and the boxes and
// scores of non-maximum suppression.
package detection

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// OneRealType returns the one type of all inputs, which is real or not known.
func OneRealType(inputs []ir.Fact) (ir.ElementType, error) {
	for i := range inputs {
		if err := check.Real(fmt.Sprintf("input %d", i), inputs[i].Type); err != nil {
			return ir.Dynamic, err
		}
	}
	return check.OneType(inputs)
}

// Int32 returns attribute name as OpenVINO keeps it in 32 bits: the low ones.
func Int32(a *ir.Attributes, name string, def int32) int64 {
	return int64(int32(a.Int(name, int64(def))))
}

// Longest returns the greatest length of d, any where d has no bound.
func Longest(d ir.Dimension) ir.Dimension { return ir.DimOfInt(d.Max) }

// AtMost returns the lengths up to the greatest of d.
func AtMost(d ir.Dimension) ir.Dimension { return ir.DimRange(0, d.Max) }

// Capped returns the greatest length of d, but no more than limit. As in OpenVINO
// it is any length where d has no bound, whatever the limit.
func Capped(d ir.Dimension, limit int64) ir.Dimension {
	if d.Max == ir.Unbounded {
		return ir.AnyDim
	}
	return ir.Dim(min(d.Max, limit))
}

// CheckAxis compares the length of an axis of the input called name with length.
func CheckAxis(name string, shape ir.PartialShape, axis int, length int64) error {
	if !shape.At(axis).Contains(length) {
		return fmt.Errorf("%s has shape %v: axis %d is not of length %d", name, shape, axis, length)
	}
	return nil
}

// CheckSame compares the lengths of an axis of two inputs.
func CheckSame(name string, shape ir.PartialShape, axis int, other string, otherShape ir.PartialShape, otherAxis int) error {
	if shape.At(axis).Compatible(otherShape.At(otherAxis)) {
		return nil
	}
	return fmt.Errorf("%s has shape %v and %s has shape %v: axes %d and %d differ",
		name, shape, other, otherShape, axis, otherAxis)
}
