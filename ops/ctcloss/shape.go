package ctcloss

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// ports holds, for each input, its name and rank, and the axes of the batch and of the steps; -1 if
// the input does not have the axis.
var ports = [...]struct {
	name               string
	rank, batch, steps int
}{
	{"logits", 3, 0, 1},
	{"logit_length", 1, 0, -1},
	{"labels", 2, 0, 1},
	{"label_length", 1, 0, -1},
	{"blank_index", 0, -1, -1},
}

func infer(in *ops.Inference) error {
	batch, steps := ir.AnyDim, ir.AnyDim
	for i := range in.Inputs {
		input, port := &in.Inputs[i], &ports[i]
		checkType := check.Integer
		if i == 0 {
			checkType = check.KnownReal
		}
		if err := checkType(port.name, input.Type); err != nil {
			return err
		}
		if err := check.Rank(port.name, input.Shape, port.rank); err != nil {
			return err
		}
		if err := merge(&batch, input.Shape, port.batch); err != nil {
			return faults.Errorf("%s %w", port.name, err)
		}
		if err := merge(&steps, input.Shape, port.steps); err != nil {
			return faults.Errorf("%s %w", port.name, err)
		}
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = in.Inputs[0].Type, ir.ShapeOf(batch)
	return nil
}

// merge narrows d to the lengths that s allows for axis. It does nothing if axis is negative.
func merge(d *ir.Dimension, s ir.PartialShape, axis int) error {
	if axis < 0 {
		return nil
	}
	both, ok := d.Merge(s.At(axis))
	if !ok {
		return faults.Errorf("has shape %v, the inputs before it have %v in place of dimension %d", s, *d, axis)
	}
	*d = both
	return nil
}
