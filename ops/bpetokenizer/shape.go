package bpetokenizer

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
	"github.com/vinoir/vinoir/ops/internal/tokenizing"
)

const (
	merges      = 8
	rightMerges = 11
)

// layout tells which of the optional inputs a layer with n inputs has. added is the first input of
// added tokens.
func layout(n int) (pairs, hasAdded bool, added int) {
	return n == 11 || n == 15, n == 15 || n == 18, n - 4
}

func infer(in *ops.Inference) error {
	n := len(in.Inputs)
	if n != 11 && n != 14 && n != 15 && n != 18 {
		return faults.Errorf("the layer has %d inputs, expected 11, 14, 15 or 18", n)
	}
	if err := tokenizing.Infer(in); err != nil {
		return err
	}
	pairs, hasAdded, added := layout(n)
	if _, err := decomposed.InferStrings(in, merges); err != nil {
		return err
	}
	if !pairs {
		if _, err := decomposed.InferStrings(in, rightMerges); err != nil {
			return err
		}
	}
	if !hasAdded {
		return nil
	}
	if _, err := decomposed.InferStrings(in, added); err != nil {
		return err
	}
	ids := &in.Inputs[added+3]
	if ids.Type != ir.I32 {
		return faults.Errorf("the ids of added tokens are %v, expected i32", ids.Type)
	}
	if shape := in.Inputs[added].Shape; shape.IsStatic() && !shape.Equal(ids.Shape) {
		return faults.Errorf("the begins of added tokens have shape %v, their ids have shape %v", shape, ids.Shape)
	}
	return nil
}
