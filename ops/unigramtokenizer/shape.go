package unigramtokenizer

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/tokenizing"
)

const scores = 8

func infer(in *ops.Inference) error {
	if t := in.Inputs[scores].Type; t != ir.F32 {
		return faults.Errorf("the scores are %v, expected f32", t)
	}
	return tokenizing.Infer(in)
}
