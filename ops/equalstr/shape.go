package equalstr

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

func infer(in *ops.Inference) error {
	for _, at := range []int{0, decomposed.StringsLen} {
		if _, err := decomposed.InferStrings(in, at); err != nil {
			return err
		}
	}
	return ops.SetOutputs(in, ir.Fact{Type: ir.I32, Shape: ir.ShapeOfRank(1)})
}
