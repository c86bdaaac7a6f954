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
	// and at least one; the rule fills in Type and Shape of as many as its type
	// has. A rule of a layer type with a variable number of outputs goes by its
	// length.
	Outputs []Fact
	// Body infers body i of the layer from its Parameters' facts, in the order of
	// Model.Parameters, and returns its Results' facts; nil facts stand for what
	// the Parameters declare. The last call is the one that Shapes.Body shows.
	// Layers of the body that are at fault are reported by the driver: what the
	// Results depend on is then what the file declares.
	Body func(i int, parameters []Fact) ([]Fact, error)
	// Variables holds the type and shape that the ReadValue layers which were
	// inferred before this one in the same graph set for their variables, by
	// variable_id. It is nil where the graph has no Assign.
	Variables map[string]Fact
	// Upstream returns what was inferred of output 0 of a layer that this layer
	// depends on and that match accepts, nil where there is none.
	Upstream func(match func(*Layer) bool) *Fact
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
	// Values lists the inputs whose values Infer reads.
	Values []int
	// Infer fills in the Type and Shape of Outputs.
	Infer func(*Inference) error
	// Bounds fills in Outputs' Values where something is known of Inputs'
	// Bounds. It runs after Infer and may be nil.
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

// maxKnownElements bounds the elements whose values one Propagate follows, 16
// bytes each, whatever the number of layers: those beyond stay unknown.
const maxKnownElements = 1 << 22

// Propagate infers the type and shape of every layer in m.Order. parameters, if
// not nil, replaces what is known of model inputs. The error joins a *LayerError for
// each layer at fault; the Shapes are complete in any case.
func Propagate(m *Model, rules Rules, parameters map[*Layer]Fact) (*Shapes, error) {
	d := &driver{rules: rules, byType: make(map[typeKey]*Rule)}
	s := d.run(m, parameters, nil)
	s.errors, s.notes = d.errors, d.notes
	if len(s.errors) == 0 {
		return s, nil
	}
	errs := make([]error, len(s.errors))
	for i, err := range s.errors {
		errs[i] = err
	}
	return s, errors.Join(errs...)
}

// driver is one Propagate at work, on a model and the bodies in it.
type driver struct {
	rules     Rules
	byType    map[typeKey]*Rule // the rules found so far
	values    int               // elements of Values held so far
	visited   int               // layers that Upstream came to so far
	bodies    map[*Model]*bodyState
	errors    []*LayerError
	faulty    map[*Layer]bool // those of errors
	notes     []Note
	noteCount noteCount
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

// fail keeps the first error of each layer.
func (d *driver) fail(layer *Layer, err error) {
	if d.faulty[layer] {
		return
	}
	if d.faulty == nil {
		d.faulty = make(map[*Layer]bool)
	}
	d.faulty[layer] = true
	d.errors = append(d.errors, &LayerError{layer, err})
}

func (d *driver) note(layer *Layer, texts ...string) {
	for _, text := range texts {
		d.notes = d.noteCount.add(d.notes, Note{layer.Line, layer, text})
	}
}

// pass is the driver on its way through one model.
type pass struct {
	*driver
	shapes     *Shapes
	parameters map[*Layer]Fact
	body       *bodyState // nil where the model is no body
	variables  map[string]Fact
	missing    *missing
	slab       []Fact // the outputs of the layers to come
	in         Inference
}

// run infers m, which is the body that body stands for, if any.
func (d *driver) run(m *Model, parameters map[*Layer]Fact, body *bodyState) *Shapes {
	outputs := 0
	for _, layer := range m.Order {
		outputs += max(len(layer.Outputs), 1)
	}
	s := &Shapes{layers: make([]layerShapes, len(m.Layers))}
	p := &pass{driver: d, shapes: s, parameters: parameters, body: body, missing: missingOf(m), slab: make([]Fact, outputs)}
	if len(m.Sinks) > 0 {
		p.variables = make(map[string]Fact)
	}
	for _, layer := range m.Order {
		if err := p.infer(layer); err != nil {
			d.fail(layer, err)
			s.declare(layer)
		}
	}
	if p.missing != nil {
		s.unknown = p.missing.shapes
	}
	return s
}

func (p *pass) infer(layer *Layer) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("BUG: panic in the layer's rule: %v\n%s", r, debug.Stack())
		}
	}()
	rule, err := p.rule(layer)
	if err != nil {
		return err
	}
	if n := len(layer.Inputs); n < rule.MinInputs || rule.MaxInputs >= 0 && n > rule.MaxInputs {
		return fmt.Errorf("%d inputs are connected, expected %s", n, countRange(rule.MinInputs, rule.MaxInputs))
	}
	n := max(len(layer.Outputs), 1)
	outputs := p.slab[:n:n]
	p.slab = p.slab[n:]
	for i := range outputs[1:] {
		outputs[1+i].Shape = unset
	}
	in := &p.in
	*in = Inference{Layer: layer, Inputs: p.shapes.appendInputs(in.Inputs[:0], layer), Outputs: outputs}
	if in.Attributes, err = p.attributes(layer, rule); err != nil {
		return err
	}
	in.Variables = p.variables
	if layer.Type == "Assign" {
		in.Upstream = func(match func(*Layer) bool) *Fact { return p.upstream(layer, match) }
	}
	if len(layer.Bodies) > 0 {
		in.Body = func(i int, parameters []Fact) ([]Fact, error) { return p.inferBody(layer, i, parameters) }
	}
	if fact, ok := p.parameters[layer]; ok {
		outputs[0] = fact
	} else if err := p.apply(rule, in); err == nil {
		p.missing.follow(layer, rule, in.Inputs, outputs)
	} else if p.missing.excuses(layer) {
		p.missing.excused(layer, outputs)
	} else {
		return err
	}
	p.shapes.layers[layer.Index] = layerShapes{outputs, in.Attributes}
	return nil
}

// attributes returns what rule makes of the layer's attributes, and notes what is
// odd about them: once, however often the layer is inferred.
func (p *pass) attributes(layer *Layer, rule *Rule) (attributes any, err error) {
	if p.body != nil {
		parsed := &p.body.parsed[layer.Index]
		if parsed.done {
			return parsed.attributes, parsed.err
		}
		defer func() { *parsed = parsedLayer{true, attributes, err} }()
	}
	if rule.Attributes != nil {
		reader := AttributesOf(layer)
		if attributes, err = rule.Attributes(reader); err != nil {
			return nil, err
		}
		p.note(layer, reader.finish()...)
	}
	if rule.Type != "" && rule.Type != layer.Type {
		p.note(layer, fmt.Sprintf("the layer type %s is written %s", rule.Type, layer.Type))
	}
	return attributes, nil
}

// apply runs the rule, and keeps the values that it found within the bound.
func (d *driver) apply(rule *Rule, in *Inference) error {
	if err := rule.Infer(in); err != nil {
		return err
	}
	if n := countSet(in.Outputs); n < len(in.Outputs) && len(in.Layer.Bodies) == 0 {
		return fmt.Errorf("%d output ports stand in the file, the layer has %d", len(in.Outputs), n)
	}
	fold := rule.Fold != nil && len(in.Inputs) > 0 && allKnown(in.Inputs)
	// Constants of floats are the kernel's: it rounds as it does when the model runs.
	if rule.Bounds != nil && !(fold && in.Outputs[0].Type.IsFloat()) {
		rule.Bounds(in)
	}
	if fold && !allKnown(in.Outputs) && materialise(in.Inputs) {
		rule.Fold(in)
	}
	for i := range in.Outputs {
		out := &in.Outputs[i]
		if out.Type.IsFloat() && out.Tensor == nil && out.known() {
			out.setReals()
		}
		d.values += len(out.Values)
		if len(out.Values) > MaxValues || d.values > maxKnownElements {
			out.Values = nil
		}
	}
	return nil
}

// unset is the shape of the outputs behind the first until the rule fills it in: no
// other shape of unknown rank has dims.
var unset = PartialShape{dims: []Dimension{}, unknownRank: true}

// countSet returns the number of outputs up to the first that a rule has left alone:
// a rule of a layer type with one output fills in the first alone.
func countSet(outputs []Fact) int {
	for i := 1; i < len(outputs); i++ {
		if s := outputs[i].Shape; s.unknownRank && s.dims != nil {
			return i
		}
	}
	return len(outputs)
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
