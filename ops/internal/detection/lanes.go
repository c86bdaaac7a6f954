package detection

import "github.com/vinoir/vinoir/ops"

// candidateCost is the cost of a box: its score, sorting it, and comparing it with others.
const candidateCost = 64

// Lanes returns the number of threads that share rows of the given number of boxes. It is 0 if
// there are no rows.
func Lanes(p *ops.Preparation, rows, boxes int) int {
	return min(p.Workers(rows, candidateCost*float64(boxes)), rows)
}
