package charsmapnormalization

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

// skips is the input and the output that has the skips, if there are any.
const skips = decomposed.StringsLen

// infer is the rule of NormalizeUnicode and CaseFold.
func infer(in *ops.Inference) error { return inferStrings(in, len(in.Inputs) == 4) }

func inferCharsMap(in *ops.Inference) error {
	form := in.Attributes.(attributes).form
	at := mapInput(form, in.Inputs)
	if form == "" {
		if at < 0 {
			return faults.Errorf("the layer has neither a normalization_form nor a map of characters")
		}
		if err := decomposed.InferBytes(in, at, "map of characters"); err != nil {
			return err
		}
	}
	return inferStrings(in, hasSkips(form, in.Inputs))
}

// hasSkips reports whether input 3 of CharsMapNormalization is skips.
func hasSkips(form string, inputs []ir.Fact) bool {
	return len(inputs) == 5 || len(inputs) == 4 && form != ""
}

// mapInput returns the input that is the map of CharsMapNormalization; -1 if none is.
func mapInput(form string, inputs []ir.Fact) int {
	if form != "" || len(inputs) == 3 {
		return -1
	}
	return len(inputs) - 1
}

func inferStrings(in *ops.Inference, hasSkips bool) error {
	shape, err := decomposed.InferStrings(in, 0)
	if err != nil {
		return err
	}
	outputs := decomposed.StringFacts(shape)
	if hasSkips {
		fact, err := decomposed.InferSkips(in, skips)
		if err != nil {
			return err
		}
		outputs = append(outputs, fact)
	}
	return ops.SetOutputs(in, outputs...)
}
