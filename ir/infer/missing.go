package infer

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
)

// missing tracks which values and shapes of a model are unknown because the model was read
// without its .bin. The outputs of a layer are affected if its rule reads a missing value, a
// value computed from one, or a shape that is unknown for that reason. All other shapes are the
// same as with the .bin. A nil *missing is for models without missing values.
//
// If Options.AssumeDeclared is set, unknown shapes are taken from the file: see assumption.
type missing struct {
	*driver
	// values and shapes are indexed by Layer.Index: with the .bin, values of the outputs would be
	// known, and shapes of the outputs could be narrower.
	values, shapes []bool
	// unknown is shapes without the layers whose shapes are assumed; shapes itself if none are.
	unknown    []bool
	assumption *assumption // nil without Options.AssumeDeclared
}

// missingOf returns nil if all Constants of m and of bodies in it have values. If dims are assumed,
// the inputs of any body can depend on them.
func (d *driver) missingOf(m *ir.Model) *missing {
	if !d.assume && !d.lacksValues(m) {
		return nil
	}
	w := &missing{driver: d, values: make([]bool, len(m.Layers)), shapes: make([]bool, len(m.Layers))}
	w.unknown = w.shapes
	if d.assume {
		w.unknown = make([]bool, len(m.Layers))
		w.assumption = newAssumption(len(m.Layers))
	}
	return w
}

// lacksValues is m.LacksValues. It looks at m only once, however often a body is inferred.
func (d *driver) lacksValues(m *ir.Model) bool {
	lacks, ok := d.lacks[m]
	if !ok {
		if d.lacks == nil {
			d.lacks = make(map[*ir.Model]bool)
		}
		lacks = m.LacksValues()
		d.lacks[m] = lacks
	}
	return lacks
}

// inBody reports whether a Constant in a body of layer has no value.
func (w *missing) inBody(layer *ir.Layer) bool {
	return slices.ContainsFunc(layer.Bodies, func(b ir.Body) bool { return w.lacksValues(b.Model) })
}

// mayExplainError reports whether a missing value may be the reason for an error of the layer's
// rule.
func (w *missing) mayExplainError(layer *ir.Layer, rule *Rule) bool {
	if w == nil {
		return false
	}
	if w.inBody(layer) {
		return true
	}
	for i := range layer.Inputs {
		source := layer.Inputs[i].Source.Index
		if w.unknown[source] || w.values[source] && (rule.reads(i) || len(layer.Bodies) > 0) {
			return true
		}
	}
	return false
}

// follow propagates missing values and unknown shapes from the inputs of layer to its outputs.
func (w *missing) follow(layer *ir.Layer, rule *Rule, inputs, outputs []ir.Fact) {
	if w == nil {
		return
	}
	if layer.Type == "Constant" {
		w.values[layer.Index] = layer.Constant == nil
		return
	}
	someValue, allValues, someShape, read := false, true, false, w.inBody(layer)
	for i := range layer.Inputs {
		source := layer.Inputs[i].Source.Index
		someValue = someValue || w.values[source]
		allValues = allValues && (w.values[source] || inputs[i].Known())
		someShape = someShape || w.shapes[source]
		read = read || w.values[source] && (rule.reads(i) || len(layer.Bodies) > 0)
	}
	for i := range outputs {
		w.shapes[layer.Index] = w.shapes[layer.Index] || !outputs[i].Shape.IsStatic() && (someShape || read)
	}
	// Bounds follow the elements of small integer tensors one by one. Other tensors are known only
	// if all inputs are.
	for i := range outputs {
		f := &outputs[i]
		followed := f.Type.IsIntegral() && (!f.Shape.IsStatic() || f.Shape.Elements().Max <= ir.MaxValues)
		if !f.Known() && (followed && (someValue || someShape) || someValue && allValues) {
			w.values[layer.Index] = true
		}
	}
}

// setUnknown sets the outputs of layer, whose rule returned an error, to unknown.
func (w *missing) setUnknown(layer *ir.Layer, outputs []ir.Fact) {
	w.values[layer.Index], w.shapes[layer.Index] = true, true
	for i := range outputs {
		outputs[i] = ir.Fact{Shape: ir.UnknownRank}
	}
}
