package utf8validate

import (
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

func infer(in *ops.Inference) error {
	shape, err := decomposed.InferStrings(in, 0)
	if err != nil {
		return err
	}
	return ops.SetOutputs(in, decomposed.StringFacts(shape)...)
}
