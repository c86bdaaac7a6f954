package ir

import "slices"

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
func missingOf(m *Model) *missing {
	if !lacksValues(m) {
		return nil
	}
	return &missing{make([]bool, len(m.Layers)), make([]bool, len(m.Layers))}
}

// lacksValues reports whether a Constant of m, or of a body in it, has no value.
func lacksValues(m *Model) bool {
	return slices.ContainsFunc(m.Order, func(layer *Layer) bool {
		return layer.Type == "Constant" && layer.Constant == nil || bodyLacksValues(layer)
	})
}

func bodyLacksValues(layer *Layer) bool {
	return slices.ContainsFunc(layer.Bodies, func(b Body) bool { return lacksValues(b.Model) })
}

// excuses reports whether a value that is missing may be why the rule of layer
// refuses its inputs.
func (w *missing) excuses(layer *Layer) bool {
	if w == nil {
		return false
	}
	return bodyLacksValues(layer) || slices.ContainsFunc(layer.Inputs, func(in Input) bool {
		return w.values[in.Source.Index] || w.shapes[in.Source.Index]
	})
}

// follow says of layer what its inputs say.
func (w *missing) follow(layer *Layer, rule *Rule, inputs, outputs []Fact) {
	if w == nil {
		return
	}
	if layer.Type == "Constant" {
		w.values[layer.Index] = layer.Constant == nil
		return
	}
	someValue, allValues, someShape, read := false, true, false, bodyLacksValues(layer)
	for i := range layer.Inputs {
		source := layer.Inputs[i].Source.Index
		someValue = someValue || w.values[source]
		allValues = allValues && (w.values[source] || inputs[i].known())
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
		followed := f.Type.IsIntegral() && (!f.Shape.IsStatic() || f.Shape.Elements().Max <= MaxValues)
		if !f.known() && (followed && (someValue || someShape) || someValue && allValues) {
			w.values[layer.Index] = true
		}
	}
}

// excused makes outputs, of a layer whose rule refused, unknown.
func (w *missing) excused(layer *Layer, outputs []Fact) {
	w.values[layer.Index], w.shapes[layer.Index] = true, true
	for i := range outputs {
		outputs[i] = Fact{Shape: UnknownRank}
	}
}
