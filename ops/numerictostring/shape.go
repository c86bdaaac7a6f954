package numerictostring

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func infer(in *ops.Inference) error {
	return ops.SetOutputs(in, ir.Fact{Type: ir.String, Shape: in.Inputs[0].Shape})
}
