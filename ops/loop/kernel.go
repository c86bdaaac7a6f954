package loop

import (
	"errors"

	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/subgraph"
)

// prepare returns the kernel for the values of trip_count and execution_condition, which are always
// known: if they are not constant, the layer is prepared for them when it runs.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	trips, counted, err := subgraph.Count("trip_count", &p.Inputs[0])
	if err != nil {
		return nil, err
	}
	condition, known, err := subgraph.Condition("execution_condition", &p.Inputs[1])
	if err != nil {
		return nil, err
	}
	if !counted || !known {
		return nil, errors.New("trip_count and execution_condition are not known")
	}
	if !condition {
		trips = 0
	}
	it, err := subgraph.NewIteration(p)
	if err != nil {
		return nil, err
	}
	return ops.Only(func(r *ops.Run) error { return it.Run(r, trips) }, nil)
}
