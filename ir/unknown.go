package ir

import "slices"

// unknownForBin returns the layers of m, in order, whose shapes are not known for
// certain since Constants have no values: a rule reads such a value, or what was
// computed of one, or a shape that is not known for that reason. With the .bin they
// may be narrower; those of all other layers are what they are with it.
func unknownForBin(m *Model, rules Rules, shapes *Shapes) []*Layer {
	w := valueless{shapes: shapes, values: make([]bool, len(m.Layers)), unknown: make([]bool, len(m.Layers))}
	for _, layer := range m.Order {
		if layer.Type == "Constant" && layer.Constant == nil {
			w.any, w.values[layer.Index] = true, true
		}
		for i := range layer.Bodies {
			w.any = w.any || lacksValues(layer.Bodies[i].Model)
		}
	}
	if !w.any {
		return nil
	}
	var list []*Layer
	d := driver{rules: rules, byType: make(map[typeKey]*Rule)}
	for _, layer := range m.Order {
		if len(layer.Inputs) == 0 {
			continue
		}
		rule, err := d.rule(layer)
		if err != nil {
			continue
		}
		if w.infer(layer, rule) {
			list = append(list, layer)
		}
	}
	return list
}

// lacksValues reports whether a Constant of m, or of a body in it, has no value.
func lacksValues(m *Model) bool {
	return slices.ContainsFunc(m.Order, func(layer *Layer) bool {
		if layer.Type == "Constant" && layer.Constant == nil {
			return true
		}
		return slices.ContainsFunc(layer.Bodies, func(b Body) bool { return lacksValues(b.Model) })
	})
}

// valueless follows missing values.
type valueless struct {
	shapes *Shapes
	any    bool
	// values and unknown, by Layer.Index, say that values of the outputs would be
	// known with the .bin, and that a shape may be narrower.
	values, unknown []bool
}

// infer says of a layer with inputs what its inputs say, and reports whether its
// shape is not known.
func (w *valueless) infer(layer *Layer, rule *Rule) bool {
	outputs := w.shapes.Outputs(layer)
	dynamic := slices.ContainsFunc(outputs, func(f Fact) bool { return !f.Shape.IsStatic() })
	inputs := w.shapes.Inputs(layer)
	someValue, allValues, someShape, read := false, true, false, len(layer.Bodies) > 0
	for i := range layer.Inputs {
		source := layer.Inputs[i].Source.Index
		someValue = someValue || w.values[source]
		allValues = allValues && (w.values[source] || inputs[i].known())
		someShape = someShape || w.unknown[source]
		read = read || w.values[source] && slices.Contains(rule.Values, i)
	}
	w.unknown[layer.Index] = dynamic && (someShape || read)
	// Bounds follow the elements of small tensors of integers one by one; all else is
	// only known where all inputs are.
	for i := range outputs {
		if f := &outputs[i]; !f.known() {
			followed := f.Type.IsIntegral() && (!f.Shape.IsStatic() || f.Shape.Elements().Max <= MaxValues)
			w.values[layer.Index] = w.values[layer.Index] || someValue && (followed || allValues) || w.unknown[layer.Index] && followed || followed && someShape
		}
	}
	return w.unknown[layer.Index]
}
