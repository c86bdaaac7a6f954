package infer

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
)

// missing follows, through one model, the values of Constants that are not there
// since the model was read without its .bin: which shapes are not known for certain,
// as a rule reads such a value, or what was computed of one, or a shape that is not
// known for that reason. All other shapes are what they are with the .bin.
type missing struct {
	// values and shapes, by Layer.Index, say that values of the outputs would be
	// known with the .bin, and that a shape may be narrower.
	values, shapes []bool
}

// missingOf returns nil where all Constants of m, and of bodies in it, have values.
func missingOf(m *ir.Model) *missing {
	if !m.LacksValues() {
		return nil
	}
	return &missing{make([]bool, len(m.Layers)), make([]bool, len(m.Layers))}
}

// excuses reports whether a value that is missing may be why the rule of layer
// refuses its inputs.
func (w *missing) excuses(layer *ir.Layer) bool {
	if w == nil {
		return false
	}
	return layer.LacksValues() || slices.ContainsFunc(layer.Inputs, func(in ir.Input) bool {
		return w.values[in.Source.Index] || w.shapes[in.Source.Index]
	})
}

// follow says of layer what its inputs say.
func (w *missing) follow(layer *ir.Layer, rule *Rule, inputs, outputs []ir.Fact) {
	if w == nil {
		return
	}
	if layer.Type == "Constant" {
		w.values[layer.Index] = layer.Constant == nil
		return
	}
	someValue, allValues, someShape, read := false, true, false, layer.LacksValues()
	for i := range layer.Inputs {
		source := layer.Inputs[i].Source.Index
		someValue = someValue || w.values[source]
		allValues = allValues && (w.values[source] || inputs[i].Known())
		someShape = someShape || w.shapes[source]
		read = read || w.values[source] && (slices.Contains(rule.Values, i) || len(layer.Bodies) > 0)
	}
	for i := range outputs {
		w.shapes[layer.Index] = w.shapes[layer.Index] || !outputs[i].Shape.IsStatic() && (someShape || read)
	}
	// Bounds follow the elements of small tensors of integers one by one; all else is
	// only known where all inputs are.
	for i := range outputs {
		f := &outputs[i]
		followed := f.Type.IsIntegral() && (!f.Shape.IsStatic() || f.Shape.Elements().Max <= ir.MaxValues)
		if !f.Known() && (followed && (someValue || someShape) || someValue && allValues) {
			w.values[layer.Index] = true
		}
	}
}

// excused makes outputs, of a layer whose rule refused, unknown.
func (w *missing) excused(layer *ir.Layer, outputs []ir.Fact) {
	w.values[layer.Index], w.shapes[layer.Index] = true, true
	for i := range outputs {
		outputs[i] = ir.Fact{Shape: ir.UnknownRank}
	}
}
