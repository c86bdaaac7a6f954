package infer

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
)

// maxContradictions limits the number of layers of a graph whose contradictions are kept.
const maxContradictions = 1000

// assumption tracks which shapes of a graph are those in the file, and which follow from them. The
// slices are indexed by Layer.Index.
type assumption struct {
	assumed, tentative []bool
	contradictions     map[int]error
}

func newAssumption(layers int) *assumption {
	return &assumption{make([]bool, layers), make([]bool, layers), make(map[int]error)}
}

// contradict records that layer contradicts shapes that are assumed.
func (a *assumption) contradict(layer *ir.Layer, err error) {
	if len(a.contradictions) < maxContradictions {
		a.contradictions[layer.Index] = shortened(err)
	}
}

// follows reports whether the inputs of layer depend on dims that are assumed. given means that
// layer is a Parameter of a body, whose fact can depend on dims assumed outside of the body.
func (w *missing) follows(layer *ir.Layer, given bool) bool {
	if w == nil || w.assumption == nil {
		return false
	}
	tentative := given
	for i := range layer.Inputs {
		tentative = tentative || w.assumption.tentative[layer.Inputs[i].Source.Index]
	}
	w.assumption.tentative[layer.Index] = tentative
	return tentative
}

// assumeDeclared sets what is unknown of the outputs of layer to what the file declares. Dims that
// contradict what is known are not taken.
func (w *missing) assumeDeclared(layer *ir.Layer, rule *Rule, inputs, outputs []ir.Fact) {
	if w == nil || w.assumption == nil || !w.shapes[layer.Index] {
		return
	}
	a := w.assumption
	if len(layer.Outputs) == 0 { // a Result
		for i := range layer.Inputs {
			w.unknown[layer.Index] = w.unknown[layer.Index] || w.unknown[layer.Inputs[i].Source.Index]
		}
		return
	}
	for i := range outputs {
		f := &outputs[i]
		if f.Shape.IsStatic() {
			continue
		}
		shape, ok := f.Shape, false
		if i < len(layer.Outputs) && layer.Origin == nil {
			shape, ok = declared(&layer.Outputs[i], f)
		}
		if ok && i == 0 && rule.SameElements && len(inputs) > 0 {
			if from, to := inputs[0].Shape.Elements(), shape.Elements(); !from.Compatible(to) {
				a.contradict(layer, fmt.Errorf("output 0 is %v in the file, which has %v elements; input 0 is %v, which has %v", shape, to, inputs[0].Shape, from))
				ok = false
			}
		}
		if !ok {
			w.unknown[layer.Index] = true
			continue
		}
		if !shape.Equal(f.Shape) {
			f.Shape = shape
			a.assumed[layer.Index], a.tentative[layer.Index] = true, true
		}
	}
}

// declared returns the shape of an output with fact f as far as it is known or declared. It returns
// false if the file contradicts f or tells nothing. A port without dims tells nothing: it is that
// of a scalar, or of a tensor of unknown rank.
func declared(out *ir.Output, f *ir.Fact) (ir.PartialShape, bool) {
	if out.Declared.Rank() <= 0 {
		return f.Shape, false
	}
	if f.Type == ir.Dynamic {
		f.Type = out.DeclaredType
	}
	return f.Shape.Merge(out.Declared)
}
