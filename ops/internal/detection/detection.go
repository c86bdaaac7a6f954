// Package detection holds code that the object detection layers share. Shape rules use its checks
// of element types, 32-bit attributes, bounds of lengths, and boxes and scores. Kernels use its
// candidates, sorted by score, and its greedy suppression of boxes that overlap.
package detection

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// OneRealType returns the floating-point type that all inputs share, or Dynamic if it is not
// known.
func OneRealType(inputs []ir.Fact) (ir.ElementType, error) {
	for i := range inputs {
		if err := check.Real(fmt.Sprintf("input %d", i), inputs[i].Type); err != nil {
			return ir.Dynamic, err
		}
	}
	return check.OneType(inputs)
}

// Int32 returns the low 32 bits of an attribute as a signed number, as OpenVINO stores it. def
// is the default.
func Int32(a *ir.Attributes, name string, def int32) int64 {
	return int64(int32(a.Int(name, int64(def))))
}

// Longest returns the greatest length of d, or ir.AnyDim if d has no upper bound.
func Longest(d ir.Dimension) ir.Dimension { return ir.DimOfInt(d.Max) }

// AtMost returns the range from 0 to the greatest length of d.
func AtMost(d ir.Dimension) ir.Dimension { return ir.DimRange(0, d.Max) }

// Capped returns the greatest length of d, but at most limit. If d has no upper bound it
// returns ir.AnyDim whatever limit is, as OpenVINO does.
func Capped(d ir.Dimension, limit int64) ir.Dimension {
	if d.Max == ir.Unbounded {
		return ir.AnyDim
	}
	return ir.Dim(min(d.Max, limit))
}

// CheckAxis returns an error unless the axis of the named input can have the given length.
func CheckAxis(name string, shape ir.PartialShape, axis int, length int64) error {
	if !shape.At(axis).Contains(length) {
		return faults.Errorf("%s has shape %v: axis %d is not of length %d", name, shape, axis, length)
	}
	return nil
}

// CheckSame returns an error unless an axis of one input and an axis of another can have the
// same length.
func CheckSame(name string, shape ir.PartialShape, axis int, other string, otherShape ir.PartialShape, otherAxis int) error {
	if shape.At(axis).Compatible(otherShape.At(otherAxis)) {
		return nil
	}
	return faults.Errorf("%s has shape %v and %s has shape %v: axes %d and %d differ",
		name, shape, other, otherShape, axis, otherAxis)
}
