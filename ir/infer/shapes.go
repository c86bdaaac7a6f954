package infer

import "github.com/vinoir/vinoir/ir"

// Shapes is what Propagate found: a Fact for each output of each layer in
// Model.Order, and the layers' parsed attributes.
type Shapes struct {
	layers []layerShapes     // by Layer.Index
	bodies map[int][]*Shapes // by Layer.Index, of the layers that have bodies
	errors []*ir.LayerError
	notes  []ir.Note
	// unknown, by Layer.Index, says that the shape is not known for certain for lack
	// of the .bin; nil where all are.
	unknown []bool
}

type layerShapes struct {
	outputs    []ir.Fact
	attributes any
}

// Outputs returns the facts of layer's outputs; nil for a layer outside Model.Order, or
// that was added to the model after Propagate. The outputs of a layer that could not be inferred are as the file
// declares them.
func (s *Shapes) Outputs(layer *ir.Layer) []ir.Fact {
	if layer.Index >= len(s.layers) { // added since
		return nil
	}
	return s.layers[layer.Index].outputs
}

// Attributes returns what the layer type's parser made of layer's attributes.
func (s *Shapes) Attributes(layer *ir.Layer) any { return s.layers[layer.Index].attributes }

// Unknown reports whether the shapes of layer's outputs are not known for certain: the
// model was read without its .bin, and they depend on the value of a Constant. All
// others are what they are with it.
func (s *Shapes) Unknown(layer *ir.Layer) bool { return s.unknown != nil && s.unknown[layer.Index] }

// Body returns what was found in body i of layer, for the layers of that body's
// Model: in the last iteration, of a Loop or TensorIterator. It is nil where the
// body was not inferred.
func (s *Shapes) Body(layer *ir.Layer, i int) *Shapes {
	if bodies := s.bodies[layer.Index]; i < len(bodies) {
		return bodies[i]
	}
	return nil
}

// Errors returns the errors of the layers that could not be inferred, those in
// bodies included, one for each layer.
func (s *Shapes) Errors() []*ir.LayerError { return s.errors }

// Notes returns what is odd in the attributes and types of layers, and yet allowed.
func (s *Shapes) Notes() []ir.Note { return s.notes }

// Complete reports whether no shape is Unknown, in this model and in bodies around it.
func (s *Shapes) Complete() bool { return s.unknown == nil }

// Find returns the model that holds layer, which is m or a body in it, and what was
// inferred of that model; nil if layer was not inferred. s is what was inferred of m.
func (s *Shapes) Find(m *ir.Model, layer *ir.Layer) (*ir.Model, *Shapes) {
	type model struct {
		*ir.Model
		*Shapes
	}
	for models := []model{{m, s}}; len(models) > 0; models = models[1:] {
		m := models[0]
		if layer.Index < len(m.Layers) && m.Layers[layer.Index] == layer && m.Shapes.Outputs(layer) != nil {
			return m.Model, m.Shapes
		}
		for index := range m.bodies {
			l := m.Layers[index]
			for i := range l.Bodies {
				if body := m.Body(l, i); body != nil {
					models = append(models, model{l.Bodies[i].Model, body})
				}
			}
		}
	}
	return nil, nil
}

// results returns the facts of the Results of m, which s is about.
func (s *Shapes) results(m *ir.Model) []ir.Fact {
	facts := make([]ir.Fact, len(m.Results))
	for i, r := range m.Results {
		facts[i] = s.Outputs(r)[0]
	}
	return facts
}

// Inputs returns the facts of layer's inputs.
func (s *Shapes) Inputs(layer *ir.Layer) []ir.Fact {
	return s.appendInputs(make([]ir.Fact, 0, len(layer.Inputs)), layer)
}

func (s *Shapes) appendInputs(facts []ir.Fact, layer *ir.Layer) []ir.Fact {
	for i := range layer.Inputs {
		in := &layer.Inputs[i]
		if outputs := s.Outputs(in.Source); in.SourceIndex < len(outputs) {
			facts = append(facts, outputs[in.SourceIndex])
		} else {
			facts = append(facts, ir.Fact{Shape: ir.UnknownRank})
		}
	}
	return facts
}

// declare gives layer the types and shapes that stand in the file.
func (s *Shapes) declare(layer *ir.Layer) {
	outputs := make([]ir.Fact, max(len(layer.Outputs), 1))
	outputs[0].Shape = ir.UnknownRank
	for i, out := range layer.Outputs {
		outputs[i] = ir.Fact{Type: out.DeclaredType, Shape: out.Declared}
	}
	s.layers[layer.Index].outputs = outputs
}
