// Package detection holds what the shape rules of the layers that detect objects
// share: their element types, lengths that are attributes, and the boxes and
// scores of non-maximum suppression.
package detection

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
)

// RealType returns the one type of all inputs, which is real or not known.
func RealType(inputs []ir.Fact) (ir.ElementType, error) {
	t := ir.Dynamic
	for i := range inputs {
		both, ok := ir.MergeElementTypes(t, inputs[i].Type)
		if !ok {
			return t, fmt.Errorf("input %d is %v, the inputs before it are %v", i, inputs[i].Type, t)
		}
		if both != ir.Dynamic && !both.IsReal() {
			return t, fmt.Errorf("input %d is %v, not a floating-point type", i, both)
		}
		t = both
	}
	return t, nil
}

// Int32 returns attribute name as OpenVINO keeps it in 32 bits: the low ones.
func Int32(a *ir.Attributes, name string, def int32) int64 {
	return int64(int32(a.Int(name, int64(def))))
}

// Length returns the dimension that OpenVINO makes of a number: -1 stands for any
// length, and what is below it for 0.
func Length(n int64) ir.Dimension {
	if n == -1 || n == ir.Unbounded {
		return ir.AnyDim
	}
	return ir.Dim(max(n, 0))
}

// Longest returns the greatest length of d, any where d has no bound.
func Longest(d ir.Dimension) ir.Dimension { return Length(d.Max) }

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
// A shape of unknown rank has any.
func CheckAxis(name string, shape ir.PartialShape, axis int, length int64) error {
	if shape.RankKnown() && !shape.At(axis).Contains(length) {
		return fmt.Errorf("%s has shape %v: axis %d is not of length %d", name, shape, axis, length)
	}
	return nil
}

// CheckSame compares the lengths of an axis of two inputs. A shape of unknown rank
// has any.
func CheckSame(name string, shape ir.PartialShape, axis int, other string, otherShape ir.PartialShape, otherAxis int) error {
	if !shape.RankKnown() || !otherShape.RankKnown() || shape.At(axis).Compatible(otherShape.At(otherAxis)) {
		return nil
	}
	return fmt.Errorf("%s has shape %v and %s has shape %v: axes %d and %d differ",
		name, shape, other, otherShape, axis, otherAxis)
}
