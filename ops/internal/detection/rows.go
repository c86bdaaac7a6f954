package detection

import "github.com/vinoir/vinoir/ops"

// candidateCost is the cost of a box: its score, sorting it, and comparing it with others.
const candidateCost = 64

// Rows returns the step that computes rows of the given number of boxes. It has no workers if there
// are no rows.
func Rows(p *ops.Preparation, rows, boxes int, part ops.WorkerPart) ops.Step {
	cost := candidateCost * float64(boxes)
	return ops.Step{N: rows, Grain: ops.Grain(cost), WorkerPart: part, Workers: min(p.Workers(rows, cost), rows)}
}
