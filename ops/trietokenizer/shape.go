package trietokenizer

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/tokenizing"
)

const (
	begins = 2
	ids    = 8
)

func infer(in *ops.Inference) error {
	if t := in.Inputs[ids].Type; t != ir.I32 {
		return faults.Errorf("the ids are %v, expected i32", t)
	}
	if err := tokenizing.Infer(in); err != nil {
		return err
	}
	// OpenVINO infers the shape of the rows, and computes this one.
	return tokenizing.SetOutputs(in, in.Inputs[begins].Shape)
}
