package reduce

import "github.com/vinoir/vinoir/ir"

// walk visits the elements of data in runs that lie along the last axis or axes of
// one kind, kept or reduced.
type walk struct {
	run        int   // elements of a run
	runReduced bool  // a run is one accumulator's
	lengths    []int // of the groups of axes before the run, the innermost first
	strides    []int // in accumulators, 0 for reduced groups
	count      int   // elements of an accumulator
	targets    int   // accumulators

	// Parts share no accumulator: part i has the i-th of equal numbers of runs and
	// of accumulators.
	parts, runs, partTargets int
}

// newWalk merges neighbouring axes of the same kind.
func newWalk(shape ir.Shape, reduced []bool) walk {
	w := walk{run: 1, runReduced: true, count: 1, targets: 1}
	last := len(shape) - 1
	for axis := last; axis >= 0; axis-- {
		n, stride := shape[axis], w.targets
		if reduced[axis] {
			stride = 0
			w.count *= n
		} else {
			w.targets *= n
		}
		switch sameAsNext := axis < last && reduced[axis] == reduced[axis+1]; {
		case axis == last:
			w.run, w.runReduced = n, reduced[axis]
		case !sameAsNext:
			w.lengths, w.strides = append(w.lengths, n), append(w.strides, stride)
		case len(w.lengths) == 0:
			w.run *= n
		default:
			w.lengths[len(w.lengths)-1] *= n
		}
	}
	w.parts, w.runs, w.partTargets = 1, 1, w.targets
	for _, n := range w.lengths {
		w.runs *= n
	}
	if outer := len(w.lengths) - 1; outer >= 0 && w.strides[outer] > 0 && w.runs > 0 {
		w.parts, w.partTargets = w.lengths[outer], w.strides[outer]
		w.runs /= w.parts
	}
	return w
}

// minPart is the number of elements that are worth a thread.
const minPart = 1 << 15

// grain returns the number of parts that are worth a thread.
func (w *walk) grain() int { return minPart/max(w.runs*w.run, 1) + 1 }

// target returns the first accumulator of a run.
func (w *walk) target(run int) int {
	at := 0
	for i, n := range w.lengths {
		at += run % n * w.strides[i]
		run /= n
	}
	return at
}
