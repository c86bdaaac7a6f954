package tensoriterator

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/subgraph"
)

// prepare returns the kernel for the number of parts of the inputs that are cut.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	body := &p.Layer.Bodies[0]
	trips := int64(-1)
	for i := range body.Inputs {
		port := &body.Inputs[i]
		if !port.Sliced || port.External < 0 || port.External >= len(p.Inputs) {
			continue
		}
		shape := p.InputShape(port.External)
		axis, err := index.Axis(port.Axis, len(shape))
		if err != nil {
			return nil, faults.Errorf("input %d: %w", port.External, err)
		}
		parts := partsOf(port, int64(shape[axis]))
		if shape[axis] == 0 {
			parts = count(0)
		}
		if trips >= 0 && parts.Min != trips {
			return nil, faults.Errorf("input %d has %d parts, an input before it %d", port.External, parts.Min, trips)
		}
		trips = parts.Min
	}
	if trips < 0 {
		parts := partsOfOutputs(body.Outputs)
		if parts.IsDynamic() {
			return nil, faults.Errorf("no input is cut and no output is joined, so that the number of iterations is not known")
		}
		trips = parts.Min
	}
	it, err := subgraph.NewIteration(p)
	if err != nil {
		return nil, err
	}
	return ops.Only(func(r *ops.Run) error { return it.Run(r, trips) }, nil)
}
