package regexsplit

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
	"github.com/vinoir/vinoir/ops/internal/splitting"
)

// The numbers of inputs.
const (
	plain     = 6
	withSkips = 7
	withKept  = 9
)

// inputsOf returns the inputs that are the pattern and the first of the strings that stay whole, 0
// if there are none.
func inputsOf(n int) (pattern, kept int) {
	switch n {
	case withSkips:
		return splitting.Skips + 1, 0
	case withKept:
		return splitting.Skips, splitting.Skips + 1
	}
	return splitting.Skips, 0
}

func infer(in *ops.Inference) error {
	n := len(in.Inputs)
	if n != plain && n != withSkips && n != withKept {
		return faults.Errorf("the layer has %d inputs, expected %d, %d or %d", n, plain, withSkips, withKept)
	}
	pattern, kept := inputsOf(n)
	facts, err := splitting.Infer(in, n == withSkips, true, pattern)
	if err != nil {
		return err
	}
	if kept > 0 {
		if _, err := decomposed.InferStrings(in, kept); err != nil {
			return err
		}
	}
	if n != withSkips {
		facts = facts[:splitting.Skips]
	}
	return ops.SetOutputs(in, facts...)
}
