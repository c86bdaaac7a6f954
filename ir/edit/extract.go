package edit

import (
	"context"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// Extract returns the part of m between tensors: a model that computes outputs from inputs. Tensors
// are found as by Find. m is not changed; the models share the constants.
//
// Each input that is not an input of m becomes a Parameter with the type, the shape and the names
// that the tensor has in m. Without inputs, the inputs are those of m that the outputs need.
// Without outputs, they are those of m. The inputs and outputs have the order in which they are
// given.
//
// An Assign is kept if the part has a ReadValue of its variable.
//
// It is an error if an output depends on an input of m that is not among the inputs, or if no
// output depends on one of the inputs.
func Extract(ctx context.Context, m *ir.Model, rules infer.Rules, inputs, outputs []string) (*ir.Model, error) {
	x := extractor{Builder: Change(ctx, m, rules), parameters: make(map[Source]Source), names: make(map[*ir.Layer]string)}
	ends, err := x.ends(outputs)
	if err != nil {
		return nil, err
	}
	cuts := make([]Source, len(inputs))
	for i, name := range inputs {
		cuts[i] = x.Find(name)
	}
	for i, s := range cuts {
		if x.valid(s) {
			x.cut(inputs[i], s)
		}
	}
	for i := range ends {
		if p, ok := x.parameters[ends[i].source]; ok {
			ends[i].source = p
		}
	}
	x.setResults(ends)
	if x.err != nil {
		return nil, x.err
	}
	if err := x.removeRest(inputs); err != nil {
		return nil, err
	}
	part, err := x.Model()
	if err != nil {
		return nil, err
	}
	x.nameParameters(part)
	if err := x.arrange(part); err != nil {
		return nil, err
	}
	return part, nil
}

// extractor is the state of Extract.
type extractor struct {
	*Builder
	// parameters has the output of the Parameter for each tensor that is an input, and order their
	// layers.
	parameters map[Source]Source
	order      []*ir.Layer
	names      map[*ir.Layer]string // of the layers that new Parameters replace
	results    []*ir.Layer
}

// end is an output of the part: a tensor, and the Result of m that reads it, if there is one.
type end struct {
	name   string
	source Source
	result *ir.Layer
}

// ends returns the outputs of the given names; those of the model if there are none.
func (x *extractor) ends(names []string) ([]end, error) {
	var ends []end
	if len(names) == 0 {
		for _, r := range x.model.Results {
			if len(r.Inputs) > 0 {
				ends = append(ends, end{r.Name, SourceOf(r.Inputs[0]), r})
			}
		}
	}
	readers := make(map[Source]*ir.Layer)
	for _, r := range x.model.Results {
		if len(r.Inputs) > 0 && readers[SourceOf(r.Inputs[0])] == nil {
			readers[SourceOf(r.Inputs[0])] = r
		}
	}
	seen := make(map[Source]string, len(names))
	for _, name := range names {
		s := x.Find(name)
		if x.err != nil {
			return nil, x.err
		}
		if other, twice := seen[s]; twice {
			return nil, faults.Errorf("output %s is the same tensor as output %s", quoted(name), quoted(other))
		}
		seen[s] = name
		ends = append(ends, end{name, s, readers[s]})
	}
	return ends, nil
}

// cut makes the tensor s, which was asked for by name, an input.
func (x *extractor) cut(name string, s Source) {
	if _, twice := x.parameters[s]; twice {
		x.failf("input %s is given twice, by other names", quoted(name))
		return
	}
	p := s
	if s.Layer.Type != "Parameter" {
		fact := x.Fact(s)
		p = x.add(&ir.Layer{Type: "Parameter", Opset: "opset1", Data: parameterData(fact.Type, fact.Shape)})
		if x.err != nil {
			return
		}
		x.model.Parameters = append(x.model.Parameters, p.Layer)
		x.changed(s, p)
		x.editor.Replace(s, p)
		x.moveNames(s, p)
		if out := &p.Layer.Outputs[0]; len(out.Names) == 0 && x.tensors[name].Layer == nil {
			x.setNames(p, []string{name})
		}
		x.names[p.Layer] = s.Layer.Name
	}
	x.parameters[s] = p
	x.order = append(x.order, p.Layer)
}

// setResults makes ends the outputs of the model.
func (x *extractor) setResults(ends []end) {
	kept := make(map[*ir.Layer]bool, len(ends))
	for _, e := range ends {
		kept[e.result] = true
	}
	for _, r := range slices.Clone(x.model.Results) {
		if !kept[r] {
			x.Remove(r)
		}
	}
	for _, e := range ends {
		r := e.result
		if r == nil && x.valid(e.source) {
			name := e.name
			if names := e.source.Layer.Outputs[e.source.Output].Names; len(names) > 0 {
				name = names[0]
			}
			r = x.Result(name, e.source).Layer
		}
		x.results = append(x.results, r)
	}
}

// reached reports, by Layer.Index, which layers the outputs and the Assigns of the part depend on.
// An Assign is in the part if a ReadValue of its variable is.
func (x *extractor) reached() []bool {
	reached := make([]bool, len(x.model.Layers))
	assigns := make(map[string][]*ir.Layer)
	for _, layer := range x.model.Layers {
		if layer.Type == "Assign" {
			assigns[variableID(layer)] = append(assigns[variableID(layer)], layer)
		}
	}
	stack := slices.Clone(x.results)
	for len(stack) > 0 {
		layer := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if reached[layer.Index] {
			continue
		}
		reached[layer.Index] = true
		for i := range layer.Inputs {
			stack = append(stack, layer.Inputs[i].Source)
		}
		if layer.Type == "ReadValue" {
			stack = append(stack, assigns[variableID(layer)]...)
		}
	}
	return reached
}

// removeRest removes the Assigns and the inputs of the model that the part does not need. It is an
// error if it needs an input that is not among inputs, or does not need one of them.
func (x *extractor) removeRest(inputs []string) error {
	reached := x.reached()
	wanted := make(map[*ir.Layer]bool, len(inputs))
	for i, p := range x.order {
		wanted[p] = true
		if !reached[p.Index] {
			return faults.Errorf("input %s: no output depends on it", quoted(inputs[i]))
		}
	}
	for _, layer := range x.Layers() {
		switch {
		case layer.Type == "Parameter" && reached[layer.Index] && len(inputs) > 0 && !wanted[layer]:
			return faults.Errorf("the outputs depend on %v, which is not among the inputs", layer)
		case !reached[layer.Index] && (layer.Type == "Parameter" || isSink(layer)):
			x.removed[layer] = true
		}
	}
	return nil
}

// nameParameters gives the new Parameters of part the names of the layers that they replace, unless
// these are in the part too.
func (x *extractor) nameParameters(part *ir.Model) {
	taken := make(map[string]bool, len(part.Layers))
	for _, layer := range part.Layers {
		taken[layer.Name] = true
	}
	for _, p := range x.order {
		if name := x.names[p]; name != "" && !taken[name] {
			p.Name = name
			taken[name] = true
		}
	}
}

// arrange puts the inputs of part, if they were given, and its outputs in order.
func (x *extractor) arrange(part *ir.Model) error {
	moved := make(map[*ir.Layer]bool, len(x.order)+len(x.results))
	for _, layer := range slices.Concat(x.order, x.results) {
		moved[layer] = true
	}
	rest := slices.DeleteFunc(part.Layers, func(layer *ir.Layer) bool { return moved[layer] })
	part.Layers, part.Results = slices.Concat(x.order, rest, x.results), x.results
	if len(x.order) > 0 {
		part.Parameters = x.order
	}
	for i, layer := range part.Layers {
		layer.Index = i
	}
	return Sort(part)
}
