package ir

import (
	"errors"
	"fmt"
	"slices"
)

// Inference is one layer's turn in the forward driver: what its shape rule
// reads and what it fills in.
type Inference struct {
	Layer *Layer
	// Attributes is what the layer type's parser returned.
	Attributes any
	// Inputs holds what is known of each connected input, in the order of its
	// ports.
	Inputs []Fact
	// Outputs has an entry for each output port that the layer has in the file,
	// with the zero Fact; the rule fills in Type and Shape. A rule of a layer
	// type with a variable number of outputs goes by len(Outputs).
	Outputs []Fact
	// Body infers body i of the layer from its Parameters' facts, in the order
	// of Model.Parameters, and returns its Results' facts.
	Body func(i int, parameters []Fact) ([]Fact, error)
}

// Rule is how the driver infers the layers of one type.
type Rule struct {
	// MinInputs and MaxInputs bound the number of connected inputs; a MaxInputs
	// of -1 is no bound.
	MinInputs, MaxInputs int
	// Attributes parses and checks the data element; nil where it has none.
	Attributes func(*Attributes) (any, error)
	// Infer fills in the Type and Shape of Outputs.
	Infer func(*Inference) error
	// Bounds fills in Outputs' Values where something is known of Inputs'
	// Intervals. It runs after Infer and may be nil.
	Bounds func(*Inference)
	// Fold computes a layer of which every input is a known Tensor; nil where the
	// layer type has no kernel. It may refuse with an error, which only means
	// that the outputs stay unknown.
	Fold func(*Inference) ([]*Tensor, error)
}

// Rules finds the rule of a layer; its error says why there is none.
type Rules interface {
	Rule(*Layer) (*Rule, error)
}

// LayerError is an error of one layer. The driver adds the layer's identity, so
// that what a rule or kernel returns says only what differed.
type LayerError struct {
	Layer *Layer
	Err   error
}

func (e *LayerError) Error() string {
	return fmt.Sprintf("layer %d %q (%s, %s): %v", e.Layer.ID, e.Layer.Name, e.Layer.Type, e.Layer.Opset, e.Err)
}

func (e *LayerError) Unwrap() error { return e.Err }

// Shapes is what Propagate found: a Fact for each output of each layer in
// Model.Order, and the layers' parsed attributes.
type Shapes struct {
	layers []layerShapes // by Layer.Index
}

type layerShapes struct {
	outputs    []Fact
	attributes any
}

// Outputs returns the facts of layer's outputs. The outputs of a layer that
// could not be inferred are as the file declares them.
func (s *Shapes) Outputs(layer *Layer) []Fact { return s.layers[layer.Index].outputs }

// Attributes returns what the layer type's parser made of layer's attributes.
func (s *Shapes) Attributes(layer *Layer) any { return s.layers[layer.Index].attributes }

// Inputs returns the facts of layer's inputs.
func (s *Shapes) Inputs(layer *Layer) []Fact {
	facts := make([]Fact, len(layer.Inputs))
	for i, in := range layer.Inputs {
		facts[i] = s.layers[in.Source.Index].outputs[in.SourceIndex]
	}
	return facts
}

// Propagate infers the type and shape of every layer in m.Order. parameters, if
// not nil, replaces what is known of model inputs: how a model is reshaped. The
// error joins a *LayerError for each layer at fault; Shapes is complete in any case.
func Propagate(m *Model, rules Rules, parameters map[*Layer]Fact) (*Shapes, error) {
	s := &Shapes{layers: make([]layerShapes, len(m.Layers))}
	var errs []error
	for _, layer := range m.Order {
		if err := s.infer(layer, rules, parameters); err != nil {
			errs = append(errs, &LayerError{layer, err})
		}
	}
	return s, errors.Join(errs...)
}

func (s *Shapes) infer(layer *Layer, rules Rules, parameters map[*Layer]Fact) error {
	out := &s.layers[layer.Index]
	out.outputs = make([]Fact, max(len(layer.Outputs), 1))
	fail := func(err error) error {
		for i := range out.outputs {
			out.outputs[i] = Fact{Shape: UnknownRank}
			if i < len(layer.Outputs) {
				out.outputs[i] = Fact{Type: layer.Outputs[i].DeclaredType, Shape: layer.Outputs[i].Declared}
			}
		}
		return err
	}
	rule, err := rules.Rule(layer)
	if err != nil {
		return fail(err)
	}
	if n := len(layer.Inputs); n < rule.MinInputs || rule.MaxInputs >= 0 && n > rule.MaxInputs {
		return fail(fmt.Errorf("%d inputs are connected, %d to %d are expected", n, rule.MinInputs, rule.MaxInputs))
	}
	in := &Inference{Layer: layer, Inputs: s.Inputs(layer), Outputs: out.outputs}
	if rule.Attributes != nil {
		if in.Attributes, err = rule.Attributes(AttributesOf(layer)); err != nil {
			return fail(err)
		}
	}
	if fact, ok := parameters[layer]; ok {
		out.outputs[0] = fact
		return nil
	}
	if err := rule.Infer(in); err != nil {
		return fail(err)
	}
	if rule.Bounds != nil {
		rule.Bounds(in)
	}
	unknown := slices.ContainsFunc(in.Inputs, func(f Fact) bool { return f.Tensor == nil })
	if rule.Fold != nil && len(in.Inputs) > 0 && !unknown {
		if tensors, err := rule.Fold(in); err == nil {
			for i, t := range tensors {
				out.outputs[i].Tensor = t
			}
		}
	}
	out.attributes = in.Attributes
	return nil
}
