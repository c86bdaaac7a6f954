package regexnormalization

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
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
		if t := in.Inputs[skips].Type; t != ir.Boolean {
			return faults.Errorf("input %d, skips, is %v, expected boolean", skips, t)
		}
		facts = append(facts, ir.Fact{Type: ir.Boolean, Shape: in.Inputs[skips].Shape})
	}
	for i, name := range []string{"pattern", "replacement"} {
		if err := decomposed.InferBytes(in, n-2+i, name); err != nil {
			return err
		}
	}
	return ops.SetOutputs(in, facts...)
}
