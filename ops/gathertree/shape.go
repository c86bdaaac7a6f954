package gathertree

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// The input ports.
const (
	stepPort = iota
	parentPort
	lengthPort
	endPort
)

var names = [...]string{"step_ids", "parent_idx", "max_seq_len", "end_token"}

func infer(in *ops.Inference) error {
	t, err := check.OneType(in.Inputs, names[:]...)
	if err != nil {
		return err
	}
	if err := check.Number("step_ids", t); err != nil {
		return err
	}
	for i, rank := range []int{3, 3, 1, 0} {
		if err := check.Rank(names[i], in.Inputs[i].Shape, rank); err != nil {
			return err
		}
	}
	step, parent, lengths := in.Inputs[stepPort].Shape, in.Inputs[parentPort].Shape, in.Inputs[lengthPort].Shape
	shape, ok := step.Merge(parent)
	if !ok {
		return faults.Errorf("step_ids has shape %v, parent_idx has shape %v", step, parent)
	}
	if shape.RankKnown() {
		batch, ok := shape.At(1).Merge(lengths.At(0))
		if !ok {
			return faults.Errorf("max_seq_len has shape %v, step_ids of shape %v has another batch", lengths, shape)
		}
		shape = shape.With(1, batch)
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = t, shape
	return nil
}
