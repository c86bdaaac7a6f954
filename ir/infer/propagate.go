package infer

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/vinoir/vinoir/ir"
)

// Rules finds the rule of a layer. The error is the reason if there is none.
type Rules interface {
	Rule(*ir.Layer) (*Rule, error)
}

// Propagate infers the type and shape of every layer in m.Order. parameters, if not nil, has
// facts of Parameters that replace what the file declares. The error joins a *ir.LayerError for
// each layer that could not be inferred, at most 10,000. The Shapes are complete even if there is
// such an error. If ctx is done, Propagate returns nil and its error.
//
// Time and memory are proportional to the size of the model. In a model that was made to take more,
// some values that could be known are unknown.
func Propagate(ctx context.Context, m *ir.Model, rules Rules, parameters map[*ir.Layer]ir.Fact) (*Shapes, error) {
	return PropagateWith(ctx, m, rules, Options{Parameters: parameters})
}

// Options configure PropagateWith.
type Options struct {
	// Parameters is as for Propagate.
	Parameters map[*ir.Layer]ir.Fact
	// AssumeDeclared takes the dims that the file declares for the outputs of a layer whose shapes
	// depend on the value of a Constant that was not read. Shapes.Assumed, Shapes.Tentative and
	// Shapes.Contradiction tell what follows from such dims. It has no effect if all Constants have
	// values. It is for finding mistakes in a file without its .bin, not for running a model.
	AssumeDeclared bool
	// Earlier is a result for the same model and the same Rules without errors, perhaps with other
	// Parameters. The attributes of its layers are taken from it, without the notes about them. nil
	// means that attributes are parsed.
	Earlier *Shapes
	// BodiesLater leaves out errors of layers in bodies, whose outputs are then unknown: for a
	// caller that infers a body again before it runs it. What a branch that is not taken cannot
	// compute is no error.
	BodiesLater bool
}

// PropagateWith is Propagate with options.
func PropagateWith(ctx context.Context, m *ir.Model, rules Rules, options Options) (*Shapes, error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // for constants that are mapped
	d := newDriver(ctx, rules)
	d.assume, d.earlier = options.AssumeDeclared && d.lacksValues(m), options.Earlier
	if d.assume {
		d.bodies = nil // kept inferences assume nothing
	}
	if options.BodiesLater {
		d.strict = m
	}
	s, err := d.run(m, options.Parameters, nil)
	if err != nil {
		return nil, err
	}
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

// driver is the state of one call of Propagate, for a model and the bodies in it.
type driver struct {
	budget
	rules     Rules
	admit     func(work float64) bool // admitFold
	byType    map[typeKey]*Rule       // cache of rules
	bodies    map[*ir.Model]*bodyState
	bodyWork  int                // work of inferring bodies again: see bodyState
	lacks     map[*ir.Model]bool // cache of Model.LacksValues
	assume    bool               // Options.AssumeDeclared, and a Constant has no value
	earlier   *Shapes            // Options.Earlier
	assigns   map[*ir.Model]*assignSources
	visited   int       // number of edges visited by assignSources
	strict    *ir.Model // with Options.BodiesLater: the model whose layers must be right; else nil
	failures  int       // how often a layer could not be inferred
	errors    []*ir.LayerError
	faulty    map[*ir.Layer]bool // layers with an entry in errors
	notes     []ir.Note
	noteCount ir.NoteCount
}

func newDriver(ctx context.Context, rules Rules) *driver {
	d := &driver{budget: newBudget(ctx), rules: rules, byType: make(map[typeKey]*Rule)}
	if kept, ok := rules.(*keptBodies); ok {
		d.rules, d.bodies = kept.Rules, kept.bodies
	}
	d.admit = d.admitFold
	return d
}

type typeKey struct{ layerType, opset string }

// rule returns the rule of layer.
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

// fail records the error of a layer, unless the layer already has one.
func (d *driver) fail(layer *ir.Layer, err error) {
	if d.faulty[layer] {
		return
	}
	if d.faulty == nil {
		d.faulty = make(map[*ir.Layer]bool)
	}
	d.faulty[layer] = true
	switch n := len(d.errors); {
	case n < maxErrors:
		d.errors = append(d.errors, &ir.LayerError{Layer: layer, Err: shortened(err)})
	case n == maxErrors:
		d.errors = append(d.errors, &ir.LayerError{Layer: layer, Err: errTooMany})
	}
}

// note records notes about layer.
func (d *driver) note(layer *ir.Layer, texts ...string) {
	for _, text := range texts {
		d.notes = d.noteCount.Append(d.notes, ir.Note{Line: layer.Line, Layer: layer, Text: text})
	}
}

// pass is one inference of a model or a body.
type pass struct {
	*driver
	model      *ir.Model
	shapes     *Shapes
	parameters map[*ir.Layer]ir.Fact
	body       *bodyState // nil if the model is not a body
	variables  map[string]ir.Fact
	missing    *missing
	slab       []ir.Fact // memory for the outputs of the layers that follow
	in         Inference
	reader     ir.Attributes
}

// run infers m. If m is a body, body is its state. The error is that of the context.
func (d *driver) run(m *ir.Model, parameters map[*ir.Layer]ir.Fact, body *bodyState) (*Shapes, error) {
	outputs := 0
	for _, layer := range m.Order {
		outputs += max(len(layer.Outputs), 1)
	}
	s := &Shapes{layers: make([]layerShapes, len(m.Layers))}
	p := &pass{driver: d, model: m, shapes: s, parameters: parameters, body: body, missing: d.missingOf(m), slab: make([]ir.Fact, outputs)}
	if len(m.Sinks) > 0 {
		p.variables = make(map[string]ir.Fact)
	}
	for _, layer := range m.Order {
		err := p.infer(layer)
		if ended := d.poll(); ended != nil {
			return nil, ended
		}
		if err != nil {
			d.failures++
		}
		switch {
		case err == nil:
		case d.strict == nil || d.strict == m:
			d.fail(layer, err)
			s.declare(layer)
		default:
			s.forget(layer)
		}
	}
	if p.missing != nil {
		s.unknown, s.assumption = p.missing.unknown, p.missing.assumption
	}
	return s, nil
}

// infer infers one layer.
func (p *pass) infer(layer *ir.Layer) error {
	rule, err := p.rule(layer)
	if err != nil {
		return err
	}
	n := max(len(layer.Outputs), 1)
	outputs := p.slab[:n:n]
	p.slab = p.slab[n:]
	p.work += 1 + len(layer.Inputs)
	in := &p.in
	*in = Inference{Layer: layer, Inputs: p.shapes.appendInputs(in.Inputs[:0], layer), Outputs: outputs}
	if in.Attributes, err = p.attributes(layer, rule); err != nil {
		return err
	}
	in.Variables, in.AdmitFold, in.Done = p.variables, p.admit, p.done
	if layer.Type == "Assign" {
		in.ReadValue = func() *ir.Fact { return p.readValue(layer) }
	}
	if p.limitRead(rule, in.Inputs) && !p.noted {
		p.noted = true
		p.note(layer, "the layers before this one read very many known values: further large values are not followed, and shapes may be less precise")
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
	tentative := p.missing.follows(layer, p.body != nil && given)
	switch {
	case err != nil && !p.missing.mayExplainError(layer, rule):
		if !tentative {
			return err
		}
		p.missing.assumption.contradict(layer, err)
		fallthrough
	case err != nil:
		p.missing.setUnknown(layer, outputs)
		p.missing.assumeDeclared(layer, rule, in.Inputs, outputs)
	case !given:
		if layer.Type != "Constant" {
			p.limitKnown(outputs)
		}
		p.missing.follow(layer, rule, in.Inputs, outputs)
		p.missing.assumeDeclared(layer, rule, in.Inputs, outputs)
	}
	p.shapes.layers[layer.Index] = layerShapes{outputs, in.Attributes}
	return nil
}

// attributes parses the attributes of layer and records the notes about them. It does so only
// once for each layer, even if the layer is inferred several times.
func (p *pass) attributes(layer *ir.Layer, rule *Rule) (attributes any, err error) {
	if p.body != nil {
		parsed := &p.body.parsed[layer.Index]
		if parsed.done {
			return parsed.attributes, parsed.err
		}
		defer func() { *parsed = parsedLayer{true, attributes, err} }()
	} else if p.earlier != nil {
		return p.earlier.Attributes(layer), nil
	}
	defer recovered(&err)
	if rule.Attributes != nil {
		p.reader = *ir.AttributesOf(layer)
		if attributes, err = rule.Attributes(&p.reader); err != nil {
			return nil, err
		}
		p.note(layer, p.reader.Notes()...)
	}
	if rule.Type != "" && rule.Type != layer.Type {
		p.note(layer, fmt.Sprintf("the layer type %s is written %s", rule.Type, layer.Type))
	}
	return attributes, nil
}
