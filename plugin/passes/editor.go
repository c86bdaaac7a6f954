package passes

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
)

// source is an output of a layer.
type source struct {
	layer  *ir.Layer
	output int
}

func sourceOf(in ir.Input) source { return source{in.Source, in.SourceIndex} }

// editor replaces layers of a model by others.
type editor struct {
	*Graph
	readers map[source][]*ir.Input    // those that have come to read a source; some may read another by now
	reads   map[source]int            // how many read it, without layers that are replaced
	added   map[*ir.Layer][]*ir.Layer // by the layer that they go in front of
	layers  int                       // of the model before the pass
	facts   map[*ir.Layer]ir.Fact     // of added layers that stand for others
	changed bool
}

// has reports whether there is a layer of one of the types: a pass that finds none need
// not look at the rest.
func (g *Graph) has(types ...string) bool {
	return slices.ContainsFunc(g.Model.Order, func(layer *ir.Layer) bool { return slices.Contains(types, layer.Type) })
}

func edit(g *Graph) *editor {
	n := len(g.Model.Order)
	e := &editor{
		Graph: g, readers: make(map[source][]*ir.Input, n), reads: make(map[source]int, n),
		added: map[*ir.Layer][]*ir.Layer{}, layers: len(g.Model.Layers), facts: map[*ir.Layer]ir.Fact{},
	}
	for _, layer := range g.Model.Order {
		e.read(layer)
	}
	return e
}

// read notes what layer reads.
func (e *editor) read(layer *ir.Layer) {
	for i := range layer.Inputs {
		e.readBy(&layer.Inputs[i])
	}
}

func (e *editor) readBy(in *ir.Input) {
	from := sourceOf(*in)
	e.readers[from] = append(e.readers[from], in)
	e.reads[from]++
}

// forget says that layer is replaced: what it reads is read once less.
func (e *editor) forget(layer *ir.Layer) {
	for _, in := range layer.Inputs {
		e.reads[sourceOf(in)]--
	}
}

// insert adds a layer with one output in front of the layer at, of which it takes
// the name. Nothing reads it yet.
func (e *editor) insert(at *ir.Layer, layerType, opset string, data []ir.Attribute, inputs ...ir.Input) *ir.Layer {
	layer := &ir.Layer{
		Index: len(e.Model.Layers), ID: at.ID, Name: at.Name, Line: at.Line,
		Type: layerType, FileType: layerType, Opset: opset, Data: data,
		Inputs: inputs, Outputs: make([]ir.Output, 1),
	}
	e.Model.Layers = append(e.Model.Layers, layer)
	e.added[at] = append(e.added[at], layer)
	e.read(layer)
	e.changed = true
	return layer
}

// constant adds a Constant in front of the layer at.
func (e *editor) constant(at *ir.Layer, value *ir.Tensor) ir.Input {
	c := addConstant(e.Model, at, -1, value)
	e.added[at] = append(e.added[at], c)
	e.changed = true
	return ir.Input{Source: c}
}

// replace leads what reads from to the output to.
func (e *editor) replace(from, to source) {
	if to.layer.Index >= e.layers {
		e.facts[to.layer] = e.fact(ir.Input{Source: from.layer, SourceIndex: from.output})
	}
	for _, in := range e.readers[from] {
		if sourceOf(*in) == from {
			in.Source, in.SourceIndex = to.layer, to.output
			e.readers[to] = append(e.readers[to], in)
		}
	}
	e.reads[to] += e.reads[from]
	delete(e.readers, from)
	delete(e.reads, from)
	e.changed = true
}

// connect makes in, an input of a layer, read another output.
func (e *editor) connect(in *ir.Input, to source) {
	e.reads[sourceOf(*in)]--
	in.Source, in.SourceIndex = to.layer, to.output
	e.readBy(in)
	e.changed = true
}

// done brings the order of the layers up to date, and reports whether there is
// anything that changed.
func (e *editor) done() bool {
	if !e.changed {
		return false
	}
	order := make([]*ir.Layer, 0, len(e.Model.Order)+len(e.added))
	for _, layer := range e.Model.Order {
		order = append(append(order, e.added[layer]...), layer)
	}
	e.Model.Order = order
	Prune(e.Model)
	return true
}

// only reports whether output 0 of layer is its only one and read once.
func (e *editor) only(layer *ir.Layer) bool {
	return len(layer.Outputs) <= 1 && e.reads[source{layer, 0}] == 1
}

// fact returns what is known of what in reads; nothing of a layer that was added and
// stands for no other.
func (e *editor) fact(in ir.Input) ir.Fact {
	if in.Source.Constant != nil {
		t := in.Source.Constant
		return ir.Fact{Type: t.ElementType(), Shape: t.Shape().Partial(), Tensor: t}
	}
	if in.Source.Index >= e.layers {
		if fact, ok := e.facts[in.Source]; ok {
			return fact
		}
		return ir.Fact{Shape: ir.UnknownRank}
	}
	if facts := e.Shapes.Outputs(in.Source); in.SourceIndex < len(facts) {
		return facts[in.SourceIndex]
	}
	return ir.Fact{Shape: ir.UnknownRank}
}
