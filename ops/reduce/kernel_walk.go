package reduce

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// walk visits the elements of data in runs along the last axes, which are all kept or all
// reduced.
type walk struct {
	run        int   // elements of a run
	runReduced bool  // a run belongs to one accumulator
	lengths    []int // of the groups of axes before the run, innermost first
	strides    []int // of the groups, in accumulators; 0 for reduced groups
	count      int   // elements per accumulator
	targets    int   // number of accumulators

	// Parts have no accumulators in common. Each part has runs runs and partTargets
	// accumulators.
	parts, runs, partTargets int

	// runWork is the work of target, in simple operations.
	runWork int
}

// newWalk returns the walk of a shape. It merges adjacent axes that are all kept or all
// reduced.
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
	w.runWork = 8 + 16*len(w.lengths)
	if outer := len(w.lengths) - 1; outer >= 0 && w.strides[outer] > 0 && w.runs > 0 {
		w.parts, w.partTargets = w.lengths[outer], w.strides[outer]
		w.runs /= w.parts
	}
	return w
}

// elementCost is the cost of an element: vector instructions add most of them.
const elementCost = 1.0 / 2

// grain returns the number of parts that are worth another thread.
func (w *walk) grain() int { return ops.Grain(elementCost * float64(w.runs*w.run)) }

// target returns the index of the first accumulator of a run.
func (w *walk) target(run int) int {
	at := 0
	for i, n := range w.lengths {
		at += run % n * w.strides[i]
		run /= n
	}
	return at
}
