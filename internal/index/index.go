// Package index checks and resolves axes and indices, for example those of Gather and
// ScatterUpdate.
package index

import "github.com/vinoir/vinoir/internal/faults"

// Axis returns axis as a non-negative number for a tensor of the given rank. A negative axis
// counts from the last axis. It returns an error if axis is out of range.
func Axis(axis int64, rank int) (int, error) {
	r := int64(rank)
	if axis < -r || axis >= r {
		return 0, faults.Errorf("axis %d is outside [%d,%d] for rank %d", axis, -r, r-1, rank)
	}
	if axis < 0 {
		axis += r
	}
	return int(axis), nil
}
