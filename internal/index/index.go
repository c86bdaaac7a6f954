// Package index holds the arithmetic of axes, strides and indices that the
// movement families share.
package index

import "fmt"

// Axis returns axis counted from the front for a tensor of the given rank;
// negative axes count from the back.
func Axis(axis int64, rank int) (int, error) {
	r := int64(rank)
	if axis < -r || axis >= r {
		return 0, fmt.Errorf("axis %d is outside [%d,%d] for rank %d", axis, -r, r-1, rank)
	}
	if axis < 0 {
		axis += r
	}
	return int(axis), nil
}
