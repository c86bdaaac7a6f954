package bucketize

import (
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	data, buckets := &in.Inputs[0], &in.Inputs[1]
	if err := check.Number("data", data.Type); err != nil {
		return err
	}
	if err := check.Number("buckets", buckets.Type); err != nil {
		return err
	}
	if err := check.Rank("buckets", buckets.Shape, 1); err != nil {
		return err
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = in.Attributes.(attributes).outputType, data.Shape
	return nil
}
