package passes

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// editor changes the graph for a pass. It is an edit.Editor with access to the inferred facts of the
// layers.
type editor struct {
	*Graph
	*edit.Editor
	layers int                   // number of layers before the pass
	facts  map[*ir.Layer]ir.Fact // output 0 of added layers that replace others
}

// newEditor returns an editor of g.Model.
func newEditor(g *Graph) *editor {
	return &editor{Graph: g, Editor: edit.New(g.Model), layers: len(g.Model.Layers), facts: map[*ir.Layer]ir.Fact{}}
}

// insert adds a layer with one output on behalf of layer at. It has the name of at.
func (e *editor) insert(at *ir.Layer, layerType, opset string, data []ir.Attribute, inputs ...ir.Input) *ir.Layer {
	sources := make([]edit.Source, len(inputs))
	for i, in := range inputs {
		sources[i] = edit.SourceOf(in)
	}
	return e.Insert(at, "", layerType, opset, data, sources...)
}

// constant adds a Constant on behalf of layer at, and returns an input that reads it.
func (e *editor) constant(at *ir.Layer, value *ir.Tensor) ir.Input {
	return ir.Input{Source: e.Constant(at, "", value)}
}

// number adds a Constant of f32 with one element on behalf of layer at, and returns an input that reads it.
func (e *editor) number(at *ir.Layer, value float64) ir.Input {
	return e.constant(at, floatTensor(ir.Shape{}, []float64{value}))
}

// replace connects the readers of output 0 of layer to the output `to` instead.
func (e *editor) replace(layer *ir.Layer, to edit.Source) {
	if to.Layer.Index >= e.layers {
		e.facts[to.Layer] = e.fact(ir.Input{Source: layer})
	}
	e.Replace(edit.First(layer), to)
}

// done updates the order of the layers. It reports whether the pass has changed anything.
func (e *editor) done() bool {
	changed := e.Changed()
	if err := e.Finish(); err != nil {
		panic("BUG: " + err.Error())
	}
	return changed
}

// hasOneReader reports whether layer has one output and that output has one reader.
func (e *editor) hasOneReader(layer *ir.Layer) bool {
	return len(layer.Outputs) <= 1 && e.ReaderCount(edit.First(layer)) == 1
}

// fact returns what is known about the tensor that in reads. Nothing is known about the output of an
// added layer, unless the layer is a Constant or is in facts.
func (e *editor) fact(in ir.Input) ir.Fact {
	if in.Source.Constant != nil {
		t := in.Source.Constant
		return ir.Fact{Type: t.ElementType(), Shape: t.Shape().Partial(), Tensor: t}
	}
	if fact, ok := e.facts[in.Source]; ok {
		return fact
	}
	if facts := e.Shapes.Outputs(in.Source); in.SourceIndex < len(facts) {
		return facts[in.SourceIndex]
	}
	return ir.Fact{Shape: ir.UnknownRank}
}
