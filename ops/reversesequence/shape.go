package reversesequence

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(attributes)
	data, lengths := &in.Inputs[0], &in.Inputs[1]
	if err := check.Number("seq_lengths", lengths.Type); err != nil {
		return err
	}
	if err := check.Rank("seq_lengths", lengths.Shape, 1); err != nil {
		return err
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = data.Type, data.Shape
	if !data.Shape.RankKnown() {
		return at.checkUnknown()
	}
	if data.Shape.Rank() < 2 {
		return faults.Errorf("data has shape %v, expected rank 2 or more", data.Shape)
	}
	if _, err := index.Axis(at.seqAxis, data.Shape.Rank()); err != nil {
		return faults.Errorf("seq_axis: %w", err)
	}
	if !lengths.Shape.RankKnown() {
		return nil // like OpenVINO, do not check batch_axis
	}
	batch, err := index.Axis(at.batchAxis, data.Shape.Rank())
	if err != nil {
		return faults.Errorf("batch_axis: %w", err)
	}
	d, ok := data.Shape.At(batch).Merge(lengths.Shape.At(0))
	if !ok {
		return faults.Errorf("seq_lengths has shape %v, data of shape %v has another length of axis %d", lengths.Shape, data.Shape, batch)
	}
	in.Outputs[0].Shape = data.Shape.With(batch, d)
	return nil
}

// checkUnknown checks the axes for data of unknown rank. Like OpenVINO, it refuses a negative
// seq_axis.
func (at attributes) checkUnknown() error {
	if at.seqAxis < 0 {
		return faults.Errorf("seq_axis %d counts from the back of data, whose rank is not known", at.seqAxis)
	}
	return nil
}
