package batchnorm

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(attributes)
	t, vector := in.Inputs[at.data].Type, ir.ShapeOfRank(1)
	for _, port := range at.channels() {
		input := &in.Inputs[port]
		var ok bool
		if t, ok = ir.MergeElementTypes(t, input.Type); !ok {
			return faults.Errorf("input %d is %v, another is %v", port, input.Type, in.Inputs[at.data].Type)
		}
		before := vector
		if vector, ok = vector.Merge(input.Shape); !ok {
			return faults.Errorf("input %d has shape %v, not that of a vector like the others, %v", port, input.Shape, before)
		}
	}
	if t != ir.Dynamic && !t.IsFloat() {
		return faults.Errorf("the inputs are %v, not of a floating-point type", t)
	}
	data := in.Inputs[at.data].Shape
	out := &in.Outputs[0]
	out.Type, out.Shape = t, data
	if !data.RankKnown() {
		return nil
	}
	if data.Rank() < 2 {
		return faults.Errorf("data has shape %v, which has no axis of channels", data)
	}
	channels, ok := data.At(1).Merge(vector.At(0))
	if !ok {
		return faults.Errorf("data has shape %v, whose axis 1 is not the length of the vectors, %v", data, vector)
	}
	dims := slices.Clone(data.Dims())
	dims[1] = channels
	out.Shape = ir.ShapeOf(dims...)
	return nil
}
