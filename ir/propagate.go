package ir

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// Inference is one layer's turn in the forward driver: what its shape rule
// reads and what it fills in. It is the rule's only for the length of the call.
type Inference struct {
	Layer *Layer
	// Attributes is what the layer type's parser returned.
	Attributes any
	// Inputs holds what is known of each connected input, in the order of its
	// ports.
	Inputs []Fact
	// Outputs has an entry for each output port that the layer has in the file,
	// and at least one, with the zero Fact; the rule fills in Type and Shape. A
	// rule of a layer type with a variable number of outputs goes by its length.
	Outputs []Fact
	// Body infers body i of the layer from its Parameters' facts, in the order
	// of Model.Parameters, and returns its Results' facts.
	Body func(i int, parameters []Fact) ([]Fact, error)
}

// Rule is how the driver infers the layers of one type.
type Rule struct {
	// Type is the layer type's name as OpenVINO writes it; "" where it is not known.
	Type string
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
	// Fold computes a layer of which every input has a Tensor, and fills in
	// Outputs' Tensor; nil where the layer type has no kernel. Where it cannot,
	// the outputs stay unknown.
	Fold func(*Inference)
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
	return fmt.Sprintf("%v: %v", e.Layer, e.Err)
}

func (e *LayerError) Unwrap() error { return e.Err }

// Shapes is what Propagate found: a Fact for each output of each layer in
// Model.Order, and the layers' parsed attributes.
type Shapes struct {
	layers    []layerShapes // by Layer.Index
	errors    []*LayerError
	notes     []Note
	noteCount noteCount
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

// Errors returns the errors of the layers that could not be inferred.
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

// maxKnownElements bounds the elements whose values one Propagate follows, 16
// bytes each, whatever the number of layers: those beyond stay unknown.
const maxKnownElements = 1 << 22

// Propagate infers the type and shape of every layer in m.Order. parameters, if
// not nil, replaces what is known of model inputs: see Reshape. The error joins a
// *LayerError for each layer at fault; the Shapes are complete in any case.
func Propagate(m *Model, rules Rules, parameters map[*Layer]Fact) (*Shapes, error) {
	s := &Shapes{layers: make([]layerShapes, len(m.Layers))}
	outputs := 0
	for _, layer := range m.Order {
		outputs += max(len(layer.Outputs), 1)
	}
	d := &driver{
		shapes: s, rules: rules, byType: make(map[typeKey]*Rule),
		parameters: parameters, slab: make([]Fact, outputs),
	}
	for _, layer := range m.Order {
		if err := d.infer(layer); err != nil {
			s.errors = append(s.errors, &LayerError{layer, err})
			s.declare(layer)
		}
	}
	if len(s.errors) == 0 {
		return s, nil
	}
	errs := make([]error, len(s.errors))
	for i, err := range s.errors {
		errs[i] = err
	}
	return s, errors.Join(errs...)
}

// driver is one Propagate at work.
type driver struct {
	shapes     *Shapes
	rules      Rules
	byType     map[typeKey]*Rule // the rules found so far
	parameters map[*Layer]Fact
	slab       []Fact // the outputs of the layers to come
	values     int    // elements of Values held so far
	in         Inference
}

type typeKey struct{ layerType, opset string }

func (d *driver) rule(layer *Layer) (*Rule, error) {
	key := typeKey{layer.Type, layer.Opset}
	if rule, ok := d.byType[key]; ok {
		return rule, nil
	}
	rule, err := d.rules.Rule(layer)
	if err == nil {
		d.byType[key] = rule
	}
	return rule, err
}

func (d *driver) infer(layer *Layer) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("BUG: panic in the layer's rule: %v\n%s", r, debug.Stack())
		}
	}()
	rule, err := d.rule(layer)
	if err != nil {
		return err
	}
	if n := len(layer.Inputs); n < rule.MinInputs || rule.MaxInputs >= 0 && n > rule.MaxInputs {
		return fmt.Errorf("%d inputs are connected, expected %s", n, countRange(rule.MinInputs, rule.MaxInputs))
	}
	n := max(len(layer.Outputs), 1)
	outputs := d.slab[:n:n]
	d.slab = d.slab[n:]
	in := &d.in
	*in = Inference{Layer: layer, Inputs: d.shapes.appendInputs(in.Inputs[:0], layer), Outputs: outputs}
	if rule.Attributes != nil {
		attributes := AttributesOf(layer)
		if in.Attributes, err = rule.Attributes(attributes); err != nil {
			return err
		}
		d.shapes.note(layer, attributes.finish()...)
	}
	if rule.Type != "" && rule.Type != layer.Type {
		d.shapes.note(layer, fmt.Sprintf("the layer type %s is written %s", rule.Type, layer.Type))
	}
	if len(layer.Bodies) > 0 {
		in.Body = func(i int, parameters []Fact) ([]Fact, error) {
			return inferBody(layer.Bodies[i].Model, d.rules, parameters)
		}
	}
	if fact, ok := d.parameters[layer]; ok {
		outputs[0] = fact
	} else if err := d.apply(rule, in); err != nil {
		return err
	}
	d.shapes.layers[layer.Index] = layerShapes{outputs, in.Attributes}
	return nil
}

func (s *Shapes) note(layer *Layer, texts ...string) {
	for _, text := range texts {
		s.notes = s.noteCount.add(s.notes, Note{layer.Line, layer, text})
	}
}

// apply runs the rule, and keeps the values that it found within the bound.
func (d *driver) apply(rule *Rule, in *Inference) error {
	if err := rule.Infer(in); err != nil {
		return err
	}
	if rule.Bounds != nil {
		rule.Bounds(in)
	}
	if rule.Fold != nil && len(in.Inputs) > 0 && !allKnown(in.Outputs) && allKnown(in.Inputs) && materialise(in.Inputs) {
		rule.Fold(in)
	}
	for i := range in.Outputs {
		out := &in.Outputs[i]
		d.values += len(out.Values)
		if len(out.Values) > MaxValues || d.values > maxKnownElements {
			out.Values = nil
		}
	}
	return nil
}

// allKnown reports whether every element of every fact is known.
func allKnown(facts []Fact) bool {
	for i := range facts {
		if !facts[i].known() {
			return false
		}
	}
	return true
}

// materialise gives every input, whose elements are all known, a Tensor; false
// where one cannot have it.
func materialise(inputs []Fact) bool {
	for i := range inputs {
		in := &inputs[i]
		if in.Tensor != nil {
			continue
		}
		ints, ok := in.Ints()
		if !ok {
			return false
		}
		shape, err := in.Shape.Static()
		if err != nil {
			return false
		}
		if in.Tensor, err = TensorOfInts(in.Type, shape, ints); err != nil {
			return false
		}
	}
	return true
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

// countRange returns "2", "2 to 4" or "at least 2".
func countRange(lo, hi int) string {
	switch {
	case hi < 0:
		return fmt.Sprintf("at least %d", lo)
	case lo == hi:
		return fmt.Sprint(lo)
	}
	return fmt.Sprintf("%d to %d", lo, hi)
}
