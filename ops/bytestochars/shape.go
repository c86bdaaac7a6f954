package bytestochars

import (
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

// The inputs: rows of strings, and skips.
const (
	rows   = 0
	begins = 2
	skips  = 5
)

func inferChars(in *ops.Inference) error {
	shape, err := decomposed.InferRowsOfStrings(in, rows)
	if err != nil {
		return err
	}
	facts := append(decomposed.RowFacts(shape), decomposed.StringFacts(in.Inputs[begins].Shape)...)
	if len(in.Inputs) > skips {
		fact, err := decomposed.InferSkips(in, skips)
		if err != nil {
			return err
		}
		facts = append(facts, fact)
	}
	return ops.SetOutputs(in, facts...)
}

func inferBytes(in *ops.Inference) error {
	shape, err := decomposed.InferRowsOfStrings(in, rows)
	if err != nil {
		return err
	}
	return ops.SetOutputs(in, decomposed.StringFacts(shape)...)
}
