package charsmapnormalization

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// infer is the rule of NormalizeUnicode and CaseFold.
func infer(in *ops.Inference) error { return inferStrings(in, len(in.Inputs) == 4) }

func inferCharsMap(in *ops.Inference) error {
	form := in.Attributes.(attributes).form
	at := mapInput(form, in.Inputs)
	if form == "" {
		if at < 0 {
			return faults.Errorf("the layer has neither a normalization_form nor a map of characters")
		}
		if t := in.Inputs[at].Type; t != ir.U8 {
			return faults.Errorf("the map of characters is %v, expected u8", t)
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

func inferStrings(in *ops.Inference, skips bool) error {
	for i, name := range []string{"begins", "ends", "chars", "skips"} {
		expected := []ir.ElementType{ir.I32, ir.I32, ir.U8, ir.Boolean}[i]
		if i == 3 && !skips {
			break
		}
		if t := in.Inputs[i].Type; t != expected {
			return faults.Errorf("%s is %v, expected %v", name, t, expected)
		}
	}
	begins, ends := in.Inputs[0].Shape, in.Inputs[1].Shape
	shape, ok := begins.Merge(ends)
	if !ok {
		return faults.Errorf("begins has shape %v, ends has shape %v", begins, ends)
	}
	outputs := []ir.Fact{{Type: ir.I32, Shape: shape}, {Type: ir.I32, Shape: shape}, {Type: ir.U8, Shape: ir.ShapeOf(ir.AnyDim)}}
	if skips {
		outputs = append(outputs, ir.Fact{Type: ir.Boolean, Shape: in.Inputs[3].Shape})
	}
	return ops.SetOutputs(in, outputs...)
}
