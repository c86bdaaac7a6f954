package ir

// Shapes is what Propagate found: a Fact for each output of each layer in
// Model.Order, and the layers' parsed attributes.
type Shapes struct {
	layers []layerShapes        // by Layer.Index
	bodies map[*Layer][]*Shapes // of the layers that have some
	errors []*LayerError
	notes  []Note
	// unknown, by Layer.Index, says that the shape is not known for certain for lack
	// of the .bin; nil where all are.
	unknown []bool
}

type layerShapes struct {
	outputs    []Fact
	attributes any
}

// Outputs returns the facts of layer's outputs, nil for a layer outside
// Model.Order. The outputs of a layer that could not be inferred are as the file
// declares them.
func (s *Shapes) Outputs(layer *Layer) []Fact { return s.layers[layer.Index].outputs }

// Attributes returns what the layer type's parser made of layer's attributes.
func (s *Shapes) Attributes(layer *Layer) any { return s.layers[layer.Index].attributes }

// Unknown reports whether the shapes of layer's outputs are not known for certain: the
// model was read without its .bin, and they depend on the value of a Constant. All
// others are what they are with it.
func (s *Shapes) Unknown(layer *Layer) bool { return s.unknown != nil && s.unknown[layer.Index] }

// Body returns what was found in body i of layer, for the layers of that body's
// Model: in the last iteration, of a Loop or TensorIterator. It is nil where the
// body was not inferred.
func (s *Shapes) Body(layer *Layer, i int) *Shapes {
	if bodies := s.bodies[layer]; i < len(bodies) {
		return bodies[i]
	}
	return nil
}

// Errors returns the errors of the layers that could not be inferred, those in
// bodies included, one for each layer.
func (s *Shapes) Errors() []*LayerError { return s.errors }

// Inputs returns the facts of layer's inputs.
func (s *Shapes) Inputs(layer *Layer) []Fact {
	return s.appendInputs(make([]Fact, 0, len(layer.Inputs)), layer)
}

func (s *Shapes) appendInputs(facts []Fact, layer *Layer) []Fact {
	for i := range layer.Inputs {
		in := &layer.Inputs[i]
		if outputs := s.layers[in.Source.Index].outputs; in.SourceIndex < len(outputs) {
			facts = append(facts, outputs[in.SourceIndex])
		} else {
			facts = append(facts, Fact{Shape: UnknownRank})
		}
	}
	return facts
}

// declare gives layer the types and shapes that stand in the file.
func (s *Shapes) declare(layer *Layer) {
	outputs := make([]Fact, max(len(layer.Outputs), 1))
	outputs[0].Shape = UnknownRank
	for i, out := range layer.Outputs {
		outputs[i] = Fact{Type: out.DeclaredType, Shape: out.Declared}
	}
	s.layers[layer.Index].outputs = outputs
}
