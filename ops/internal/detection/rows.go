package detection

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// candidateCost is the cost of a box: its score, sorting it, and comparing it with others.
const candidateCost = 64

// RowsStep returns the step that computes rows of the given number of boxes. It has no workers if
// there are no rows.
func RowsStep(p *ops.Preparation, rows, boxes int, part ops.WorkerPart) ops.Step {
	cost := candidateCost * float64(boxes)
	return ops.Step{N: rows, Grain: ops.Grain(cost), WorkerPart: part, Workers: min(p.Workers(rows, cost), rows)}
}

// Rows are the rows of scores that boxes are selected from. A row has the scores of all boxes for a
// class of an image.
type Rows[T Float] struct {
	// Step computes all rows. It has no workers if there are no rows.
	ops.Step
	load Loader[T]
	// The memory of each worker; scores has no elements if load does not convert.
	scores            ops.Area[T]
	candidates, spare ops.Area[Candidate[T]]
}

// NewRows returns rows of the given number of boxes, and adds their memory to s. t is the type of
// the scores, and name that of their input, for the error. part computes some of the rows.
func NewRows[T Float](p *ops.Preparation, s *ops.Scratch, name string, t ir.ElementType, rows, boxes int, part ops.WorkerPart) (Rows[T], error) {
	load, err := LoaderOf[T](name, t)
	k := Rows[T]{Step: RowsStep(p, rows, boxes, part), load: load}
	if !HasType[T](t) {
		k.scores = ops.AreasOf[T](s, k.Workers, boxes)
	}
	k.candidates, k.spare = ops.AreasOf[Candidate[T]](s, k.Workers, boxes), ops.AreasOf[Candidate[T]](s, k.Workers, boxes)
	return k, err
}

// Candidates returns those of n scores, from element at of t on, that are above a threshold, and
// memory to sort them. Both are in the memory of a worker.
func (k *Rows[T]) Candidates(r *ops.Run, worker int, t *ir.Tensor, at, n int, threshold T, meter *parallel.Meter) (candidates, spare []Candidate[T]) {
	var converted []T
	if k.scores.Len() > 0 {
		converted = k.scores.Of(r, worker)
	}
	return Above(meter, k.candidates.Of(r, worker)[:0], k.load(converted, t, at, n), threshold), k.spare.Of(r, worker)
}

// Best returns the best of Candidates, at most limit of them, sorted.
func (k *Rows[T]) Best(r *ops.Run, worker int, t *ir.Tensor, at, n int, threshold T, limit int, meter *parallel.Meter) []Candidate[T] {
	candidates, spare := k.Candidates(r, worker, t, at, n, threshold, meter)
	candidates = candidates[:Best(meter, candidates, spare, limit)]
	Sort(meter, candidates, spare)
	return candidates[:min(len(candidates), limit)]
}
