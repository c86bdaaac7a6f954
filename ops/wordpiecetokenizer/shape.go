package wordpiecetokenizer

import (
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/tokenizing"
)

const unknown = 8

func infer(in *ops.Inference) error {
	if err := check.KnownIndex("the id of unknown strings", in.Inputs[unknown].Type); err != nil {
		return err
	}
	return tokenizing.Infer(in)
}
