package fakequantize

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ops"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(attributes)
	data := &in.Inputs[0]
	joined := data.Shape
	for i := 1; i < len(in.Inputs); i++ {
		before, ok := joined, false
		if joined, ok = at.Join(joined, in.Inputs[i].Shape); !ok {
			return faults.Errorf("input %d is %v, the inputs before it are %v, which do not %v", i, in.Inputs[i].Shape, before, at.Rule)
		}
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = data.Type, data.Shape
	return nil
}
