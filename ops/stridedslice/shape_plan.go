package stridedslice

import "github.com/vinoir/vinoir/internal/faults"

// place is an axis of the output, or an axis that is removed (shrink). axis is the axis of data, or
// -1 for a new axis. entry is the index in begin, end and strides, or -1 for a whole axis.
type place struct {
	axis, entry int
	shrink      bool
}

// planOf returns the places for data of the given rank and n elements of begin.
func planOf(at attributes, rank int, n int64) ([]place, error) {
	hidden := 0
	if at.ellipsis.count() == 0 {
		if n > int64(rank+at.newAxis.count()) {
			return nil, faults.Errorf("begin has %d elements, data has %d axes and new_axis_mask adds %d", n, rank, at.newAxis.count())
		}
	} else if n <= int64(rank+len(at.newAxis)+1) {
		hidden = rank
		for k := range int(n) {
			if !at.ellipsis.has(k) && !at.newAxis.has(k) {
				hidden--
			}
		}
	}
	var p []place
	axis := 0
	for k := 0; int64(k) < n; k++ {
		switch {
		case at.ellipsis.has(k):
			for range hidden {
				p = append(p, place{axis: axis, entry: -1})
				axis++
			}
			continue
		case at.newAxis.has(k):
			p = append(p, place{axis: -1, entry: -1})
			continue
		case axis >= rank:
			return nil, faults.Errorf("begin has an element %d for axis %d, data has %d axes", k, axis, rank)
		}
		p = append(p, place{axis: axis, entry: k, shrink: at.shrinkAxis.has(k)})
		axis++
	}
	for ; axis < rank; axis++ {
		p = append(p, place{axis: axis, entry: -1})
	}
	return p, nil
}
