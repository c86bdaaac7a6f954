package specialtokenssplit

import (
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/splitting"
)

func infer(in *ops.Inference) error {
	pattern := len(in.Inputs) - 1
	facts, err := splitting.Infer(in, pattern > splitting.Skips, false, pattern)
	if err != nil {
		return err
	}
	return ops.SetOutputs(in, facts...)
}
