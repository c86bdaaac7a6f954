package infer

import (
	"errors"
	"fmt"

	"github.com/vinoir/vinoir/ir"
)

// Rules finds the rule of a layer; its error says why there is none.
type Rules interface {
	Rule(*ir.Layer) (*Rule, error)
}

// maxKnownElements bounds the elements whose values one Propagate follows, 16
// bytes each, whatever the number of layers: those beyond stay unknown.
const maxKnownElements = 1 << 22

// Propagate infers the type and shape of every layer in m.Order. parameters, if
// not nil, replaces what is known of model inputs. The error joins a *LayerError for
// each layer at fault; the Shapes are complete in any case.
func Propagate(m *ir.Model, rules Rules, parameters map[*ir.Layer]ir.Fact) (*Shapes, error) {
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
	bodies    map[*ir.Model]*bodyState
	errors    []*ir.LayerError
	faulty    map[*ir.Layer]bool // those of errors
	notes     []ir.Note
	noteCount ir.NoteCount
}

type typeKey struct{ layerType, opset string }

func (d *driver) rule(layer *ir.Layer) (*Rule, error) {
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
func (d *driver) fail(layer *ir.Layer, err error) {
	if d.faulty[layer] {
		return
	}
	if d.faulty == nil {
		d.faulty = make(map[*ir.Layer]bool)
	}
	d.faulty[layer] = true
	d.errors = append(d.errors, &ir.LayerError{Layer: layer, Err: err})
}

func (d *driver) note(layer *ir.Layer, texts ...string) {
	for _, text := range texts {
		d.notes = d.noteCount.Append(d.notes, ir.Note{Line: layer.Line, Layer: layer, Text: text})
	}
}

// pass is the driver on its way through one model.
type pass struct {
	*driver
	shapes     *Shapes
	parameters map[*ir.Layer]ir.Fact
	body       *bodyState // nil where the model is no body
	variables  map[string]ir.Fact
	missing    *missing
	slab       []ir.Fact // the outputs of the layers to come
	in         Inference
}

// run infers m, which is the body that body stands for, if any.
func (d *driver) run(m *ir.Model, parameters map[*ir.Layer]ir.Fact, body *bodyState) *Shapes {
	outputs := 0
	for _, layer := range m.Order {
		outputs += max(len(layer.Outputs), 1)
	}
	s := &Shapes{layers: make([]layerShapes, len(m.Layers))}
	p := &pass{driver: d, shapes: s, parameters: parameters, body: body, missing: missingOf(m), slab: make([]ir.Fact, outputs)}
	if len(m.Sinks) > 0 {
		p.variables = make(map[string]ir.Fact)
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

func (p *pass) infer(layer *ir.Layer) error {
	rule, err := p.rule(layer)
	if err != nil {
		return err
	}
	n := max(len(layer.Outputs), 1)
	outputs := p.slab[:n:n]
	p.slab = p.slab[n:]
	in := &p.in
	*in = Inference{Layer: layer, Inputs: p.shapes.appendInputs(in.Inputs[:0], layer), Outputs: outputs}
	if in.Attributes, err = p.attributes(layer, rule); err != nil {
		return err
	}
	in.Variables = p.variables
	if layer.Type == "Assign" {
		in.Upstream = func(match func(*ir.Layer) bool) *ir.Fact { return p.upstream(layer, match) }
	}
	if len(layer.Bodies) > 0 {
		in.Body = func(i int, parameters []ir.Fact) ([]ir.Fact, error) { return p.inferBody(layer, i, parameters) }
	}
	fact, given := p.parameters[layer]
	if given {
		outputs[0], err = fact, rule.Inputs.Check(len(in.Inputs))
	} else {
		err = rule.Run(in)
	}
	switch {
	case err != nil && !p.missing.excuses(layer):
		return err
	case err != nil:
		p.missing.excused(layer, outputs)
	case !given:
		p.limitValues(outputs)
		p.missing.follow(layer, rule, in.Inputs, outputs)
	}
	p.shapes.layers[layer.Index] = layerShapes{outputs, in.Attributes}
	return nil
}

// limitValues keeps the values that are followed within maxKnownElements.
func (d *driver) limitValues(outputs []ir.Fact) {
	for i := range outputs {
		d.values += len(outputs[i].Values)
		if d.values > maxKnownElements {
			outputs[i].Values = nil
		}
	}
}

// attributes returns what rule makes of the layer's attributes, and notes what is
// odd about them: once, however often the layer is inferred.
func (p *pass) attributes(layer *ir.Layer, rule *Rule) (attributes any, err error) {
	if p.body != nil {
		parsed := &p.body.parsed[layer.Index]
		if parsed.done {
			return parsed.attributes, parsed.err
		}
		defer func() { *parsed = parsedLayer{true, attributes, err} }()
	}
	defer recovered(&err)
	if rule.Attributes != nil {
		reader := ir.AttributesOf(layer)
		if attributes, err = rule.Attributes(reader); err != nil {
			return nil, err
		}
		p.note(layer, reader.Notes()...)
	}
	if rule.Type != "" && rule.Type != layer.Type {
		p.note(layer, fmt.Sprintf("the layer type %s is written %s", rule.Type, layer.Type))
	}
	return attributes, nil
}
