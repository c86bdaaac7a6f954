package tensoriterator

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/subgraph"
)

// prepare returns the kernel for the number of parts of the inputs that are cut.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	body := &p.Layer.Bodies[0]
	if err := checkTypes(p, body); err != nil {
		return nil, err
	}
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

// checkTypes compares the types of the inputs with those of the Parameters that they feed. The
// shape rule does not: OpenVINO reads such a model.
func checkTypes(p *ops.Preparation, body *ir.Body) error {
	for i := range body.Inputs {
		port := &body.Inputs[i]
		if port.External < 0 || port.External >= len(p.Inputs) || port.Internal == nil {
			continue
		}
		is := p.Inputs[port.External].Type
		want := ir.AttributesOf(port.Internal).ElementType("element_type", ir.Dynamic)
		if is != want && is != ir.Dynamic && want != ir.Dynamic {
			return faults.Errorf("input %d is %v, %v of the body is %v", port.External, is, port.Internal, want)
		}
	}
	return nil
}
