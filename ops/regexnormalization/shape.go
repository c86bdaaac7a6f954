package regexnormalization

import (
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

// skips is the input and the output that has the skips, if there are 6 inputs.
const (
	skips     = 3
	withSkips = 6
)

func infer(in *ops.Inference) error {
	shape, err := decomposed.InferStrings(in, 0)
	if err != nil {
		return err
	}
	n := len(in.Inputs)
	facts := decomposed.StringFacts(shape)
	if n == withSkips {
		fact, err := decomposed.InferSkips(in, skips)
		if err != nil {
			return err
		}
		facts = append(facts, fact)
	}
	for i, name := range []string{"pattern", "replacement"} {
		if err := decomposed.InferBytes(in, n-2+i, name); err != nil {
			return err
		}
	}
	return ops.SetOutputs(in, facts...)
}
