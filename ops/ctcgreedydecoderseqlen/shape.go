package ctcgreedydecoderseqlen

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
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
	batch, ok := data.At(0).Merge(lengths.At(0))
	if !ok {
		return faults.Errorf("data has shape %v, sequence_length has shape %v", data, lengths)
	}
	return ops.SetOutputs(in,
		ir.Fact{Type: at.classesType, Shape: ir.ShapeOf(batch, data.At(1))},
		ir.Fact{Type: at.lengthType, Shape: ir.ShapeOf(batch)})
}
