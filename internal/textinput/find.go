package textinput

import (
	"errors"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
)

// Names of the inputs. All but Beams are i64[texts,tokens].
const (
	IDs       = "input_ids"
	Mask      = "attention_mask" // 0 for padding; it has the tokens of earlier runs too
	Types     = "token_type_ids"
	Positions = "position_ids"
	Beams     = "beam_idx" // i32[texts]: the text of the run before that a text continues
)

// Input is an input that a model can have.
type Input struct {
	Name string
	Type ir.ElementType
	// Number is where Find writes the number of the input in the model: -1 if it has none.
	Number *int
}

// Of returns the Input with one of the names above.
func Of(name string, number *int) Input {
	if name == Beams {
		return Input{name, ir.I32, number}
	}
	return Input{name, ir.I64, number}
}

// Find finds the inputs of a model, whose ports are given. An input that is not among known and
// added, or that has another type, is an error, and so is a model without IDs. added are inputs
// that the caller has added to the model: errors do not list them.
func Find(ports []plugin.Port, known []Input, added ...Input) error {
	all := slices.Concat(known, added)
	for _, in := range all {
		*in.Number = -1
	}
	hasIDs := false
	for number, port := range ports {
		in := find(port.AllNames(), all)
		if in == nil {
			return faults.Errorf("input %q is none of %s", port.Name, list(known))
		}
		if port.Type != in.Type {
			return faults.Errorf("input %q is %v, not %v", port.Name, port.Type, in.Type)
		}
		*in.Number = number
		hasIDs = hasIDs || in.Name == IDs
	}
	if !hasIDs {
		return errors.New("it has no input " + IDs)
	}
	return nil
}

// find returns the input that has one of names; nil if there is none.
func find(names []string, inputs []Input) *Input {
	for _, name := range names {
		for i := range inputs {
			if inputs[i].Name == name {
				return &inputs[i]
			}
		}
	}
	return nil
}

// list returns the names of inputs as part of a sentence.
func list(inputs []Input) string {
	var names []string
	for _, in := range inputs {
		names = append(names, in.Name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
