package convertpromotetypes

import (
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/convert"
)

// prepare prepares a conversion for each output of the layer: a file can have less than two.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	kernels := make([]ops.Kernel, len(p.Outputs))
	for i := range kernels {
		conversion := *p
		conversion.Inputs, conversion.Outputs = p.Inputs[i:i+1], p.Outputs[i:i+1]
		prepared, err := convert.Prepare(&conversion)
		if err != nil {
			return nil, err
		}
		if p.Unread == nil || !p.Unread[i] {
			kernels[i] = prepared.Kernel
		}
	}
	return &ops.Prepared{Kernel: func(r *ops.Run) error { return run(r, kernels) }}, nil
}

// run runs the kernels whose outputs are read, one after the other.
func run(r *ops.Run, kernels []ops.Kernel) error {
	one := r.Own(newRun).(*ops.Run)
	one.Pool, one.Stop = r.Pool, r.Stop
	for i, kernel := range kernels {
		if kernel == nil {
			continue
		}
		one.Inputs, one.Outputs = r.Inputs[i:i+1], r.Outputs[i:i+1]
		if err := kernel(one); err != nil {
			return err
		}
	}
	return nil
}

func newRun() any { return new(ops.Run) }
