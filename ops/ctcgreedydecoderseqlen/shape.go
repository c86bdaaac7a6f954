package ctcgreedydecoderseqlen

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ir.Inference) error {
	at := in.Attributes.(attributes)
	data, lengths := in.Inputs[0].Shape, in.Inputs[1].Shape
	if len(in.Inputs) > 2 {
		if err := check.Integer("blank_index", in.Inputs[2].Type); err != nil {
			return err
		}
		if err := check.OneElementIfStatic("blank_index", in.Inputs[2].Shape); err != nil {
			return err
		}
	}
	if err := check.Rank("data", data, 3); err != nil {
		return err
	}
	if err := check.Rank("sequence_length", lengths, 1); err != nil {
		return err
	}
	batch, steps := ir.AnyDim, ir.AnyDim
	if data.RankKnown() {
		batch, steps = data.At(0), data.At(1)
	}
	if lengths.RankKnown() {
		var ok bool
		if batch, ok = batch.Merge(lengths.At(0)); !ok {
			return fmt.Errorf("data has shape %v, sequence_length has %v", data, lengths)
		}
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = at.classesType, ir.ShapeOf(batch, steps)
	if len(in.Outputs) > 1 {
		in.Outputs[1].Type, in.Outputs[1].Shape = at.lengthType, ir.ShapeOf(batch)
	}
	return nil
}
