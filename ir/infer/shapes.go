package infer

import (
	"iter"

	"github.com/vinoir/vinoir/ir"
)

// Shapes is the result of Propagate: a Fact for each output of each layer in Model.Order, and
// the parsed attributes of the layers.
type Shapes struct {
	layers []layerShapes     // by Layer.Index
	bodies map[int][]*Shapes // by Layer.Index, of the layers that have bodies
	errors []*ir.LayerError
	notes  []ir.Note
	// unknown is the result of Unknown, by Layer.Index; nil if the Shapes are Complete.
	unknown    []bool
	assumption *assumption // nil without Options.AssumeDeclared
}

type layerShapes struct {
	outputs    []ir.Fact
	attributes any
}

// Outputs returns the facts of the outputs of layer. If the layer could not be inferred, they
// are as the file declares them. Outputs returns nil for a layer outside of Model.Order and for
// a layer that was added to the model after Propagate. It is not inlined, as it has many callers.
//
//go:noinline
func (s *Shapes) Outputs(layer *ir.Layer) []ir.Fact {
	if layer.Index >= len(s.layers) { // added after Propagate
		return nil
	}
	return s.layers[layer.Index].outputs
}

// Attributes returns the attributes of layer, as parsed by Rule.Attributes.
func (s *Shapes) Attributes(layer *ir.Layer) any { return s.layers[layer.Index].attributes }

// Unknown reports whether the shapes of the outputs of layer may be less precise than with the
// .bin: the model was read without it, and the shapes depend on the value of a Constant. Other
// shapes are the same with and without the .bin.
func (s *Shapes) Unknown(layer *ir.Layer) bool { return s.unknown != nil && s.unknown[layer.Index] }

// Assumed reports whether dims of the outputs of layer are taken from the file, because they depend
// on the value of a Constant that was not read: see Options.AssumeDeclared.
func (s *Shapes) Assumed(layer *ir.Layer) bool {
	return s.assumption != nil && s.assumption.assumed[layer.Index]
}

// Tentative reports whether layer is Assumed or depends on a layer that is. If the file is wrong
// there, the shapes of layer can be wrong.
func (s *Shapes) Tentative(layer *ir.Layer) bool {
	return s.assumption != nil && s.assumption.tentative[layer.Index]
}

// Contradiction returns the error of layer for shapes that are assumed: the file contradicts
// itself, but it is not known where it is wrong. It returns nil if there is none. Such an error is
// not in Errors.
func (s *Shapes) Contradiction(layer *ir.Layer) error {
	if s.assumption == nil {
		return nil
	}
	return s.assumption.contradictions[layer.Index]
}

// Body returns the Shapes of body i of layer. The layers of the body are those of
// layer.Bodies[i].Model. For a Loop or TensorIterator, they are the shapes of the last
// iteration. Body returns nil if the body was not inferred, or if s is nil.
func (s *Shapes) Body(layer *ir.Layer, i int) *Shapes {
	if s == nil || i >= len(s.bodies[layer.Index]) {
		return nil
	}
	return s.bodies[layer.Index][i]
}

// AllLayers yields the layers of m.Order and those of the bodies in the order of Model.AllLayers,
// each with the Shapes of the graph that it is in: nil in a body that was not inferred. s must be
// the Shapes of m.
func (s *Shapes) AllLayers(m *ir.Model) iter.Seq2[*ir.Layer, *Shapes] {
	type graph struct {
		model  *ir.Model
		shapes *Shapes
	}
	return func(yield func(*ir.Layer, *Shapes) bool) {
		for graphs := []graph{{m, s}}; len(graphs) > 0; graphs = graphs[1:] {
			g := graphs[0]
			for _, layer := range g.model.Order {
				if !yield(layer, g.shapes) {
					return
				}
				for i := range layer.Bodies {
					graphs = append(graphs, graph{layer.Bodies[i].Model, g.shapes.Body(layer, i)})
				}
			}
		}
	}
}

// Errors returns one error for each layer that could not be inferred, including layers in
// bodies.
func (s *Shapes) Errors() []*ir.LayerError { return s.errors }

// Notes returns notes about attributes and types of layers that are allowed but unusual.
func (s *Shapes) Notes() []ir.Note { return s.notes }

// Complete reports whether all Constants of the model and of the bodies in it have values, so
// that no shape is Unknown.
func (s *Shapes) Complete() bool { return s.unknown == nil }

// results returns the facts of the Results of m, the model of s.
func (s *Shapes) results(m *ir.Model) []ir.Fact {
	facts := make([]ir.Fact, len(m.Results))
	for i, r := range m.Results {
		facts[i] = s.Outputs(r)[0]
	}
	return facts
}

// Inputs returns the facts of the inputs of layer.
func (s *Shapes) Inputs(layer *ir.Layer) []ir.Fact {
	return s.appendInputs(make([]ir.Fact, 0, len(layer.Inputs)), layer)
}

// appendInputs appends the facts of the inputs of layer to facts.
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

// declare sets the outputs of layer to the types and shapes that the file declares.
func (s *Shapes) declare(layer *ir.Layer) {
	outputs := make([]ir.Fact, max(len(layer.Outputs), 1))
	outputs[0].Shape = ir.UnknownRank
	for i, out := range layer.Outputs {
		outputs[i] = ir.Fact{Type: out.DeclaredType, Shape: out.Declared}
	}
	s.layers[layer.Index].outputs = outputs
}

// forget sets the outputs of layer to the types that the file declares, and unknown shapes.
func (s *Shapes) forget(layer *ir.Layer) {
	s.declare(layer)
	outputs := s.layers[layer.Index].outputs
	for i := range outputs {
		outputs[i].Shape = ir.UnknownRank
	}
}
