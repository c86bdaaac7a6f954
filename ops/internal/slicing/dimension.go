// Package slicing implements start, stop and step along an axis for the families that take a
// slice of a tensor: the lengths that the slice can have, and the elements that it holds.
package slicing

import (
	"math"

	"github.com/vinoir/vinoir/ir"
)

// none is an upper bound that does not exist.
const none = -1

// Cut returns the lengths that a slice of an axis of length d can have, for each start and stop
// in their intervals. As in OpenVINO, if an interval contains negative and other positions,
// those of its ends that can lie within the axis are replaced by the ends of the axis.
func Cut(d ir.Dimension, start, stop ir.Interval, step int64) ir.Dimension {
	if unknown(start) || unknown(stop) {
		return ir.DimRange(0, d.Max)
	}
	longest := d.Max
	if longest == ir.Unbounded {
		longest = none
	}
	start, stop = straighten(start, longest), straighten(stop, longest)
	var lo, hi int64
	if step > 0 {
		lo = length(d.Min, start.Max, stop.Min, step)
		hi = length(longest, start.Min, stop.Max, step)
	} else {
		lo = length(d.Min, start.Min, stop.Max, step)
		hi = length(longest, start.Max, stop.Min, step)
	}
	if hi == none {
		hi = ir.Unbounded
	}
	if lo = max(lo, 0); lo > hi {
		return ir.AnyDim
	}
	return ir.DimRange(lo, hi)
}

// unknown reports whether v has no bound.
func unknown(v ir.Interval) bool { return v.Min == math.MinInt64 && v.Max == math.MaxInt64 }

// straighten replaces the ends of an interval that contains -1 and 0 by the first and the last
// element of the axis, if they can lie within the axis.
func straighten(v ir.Interval, length int64) ir.Interval {
	if v.Min >= 0 || v.Max < 0 {
		return v
	}
	s := v
	if length == none || v.Min+length >= 0 {
		s.Min = 0
	}
	if length == none || v.Max < length {
		s.Max = -1
	}
	return s
}

// length returns the number of elements from start to stop on an axis of n elements, or none if
// there is no bound. n may be none.
func length(n, start, stop, step int64) int64 {
	if n == none {
		n = math.MaxInt64
	}
	fromEnd := start < 0
	anyMax := start == math.MaxInt64 || stop == math.MaxInt64
	limit := start == math.MaxInt64 || start == math.MinInt64
	var lo, hi int64
	switch {
	case n < math.MaxInt64 || !(fromEnd != (stop < 0) || anyMax || limit):
		if step > 0 {
			lo, hi = clamp(start, n, 0, n), clamp(stop, n, 0, n)
		} else {
			lo, hi = clamp(start, n, 0, n-1), clamp(stop, n, -1, n)
		}
	case step < 0:
		hi = none
		if !fromEnd && !anyMax {
			hi -= start
		}
	case fromEnd && !limit && stop == math.MaxInt64:
		hi = -start
	case fromEnd && !limit:
		hi = stop
	default:
		hi = none
	}
	if n == math.MaxInt64 && lo == 0 && hi == none {
		return none
	}
	return count(hi-lo, step)
}

// clamp adds n to a negative position and clamps it to lo and hi. The result is hi if lo is
// greater, as on an empty axis.
func clamp(v, n, lo, hi int64) int64 {
	if v < 0 {
		v += n
	}
	return min(max(v, lo), hi)
}

// count returns the number of elements in a range of the given signed length.
func count(distance, step int64) int64 {
	switch {
	case (distance > 0) != (step > 0) || distance == 0:
		return 0
	case step == 1:
		return distance
	case step == -1:
		return -max(distance, -math.MaxInt64)
	case step > 0:
		return (distance-1)/step + 1
	}
	return (distance+1)/step + 1
}

// First returns the position of the first element of a slice that is not empty, on an axis of n
// elements.
func First(start, n, step int64) int64 {
	if step < 0 {
		return clamp(start, n, 0, n-1)
	}
	return clamp(start, n, 0, n)
}
