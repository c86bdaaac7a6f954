package passes

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// editor is how a pass changes the graph: an edit.Editor that also knows what was inferred
// of the layers.
type editor struct {
	*Graph
	*edit.Editor
	layers int                   // of the model before the pass
	facts  map[*ir.Layer]ir.Fact // of added layers that replace others
}

func newEditor(g *Graph) *editor {
	return &editor{Graph: g, Editor: edit.New(g.Model), layers: len(g.Model.Layers), facts: map[*ir.Layer]ir.Fact{}}
}

// insert adds a layer with one output for the sake of layer at, whose name it takes.
func (e *editor) insert(at *ir.Layer, layerType, opset string, data []ir.Attribute, inputs ...ir.Input) *ir.Layer {
	sources := make([]edit.Source, len(inputs))
	for i, in := range inputs {
		sources[i] = edit.SourceOf(in)
	}
	return e.Insert(at, "", layerType, opset, data, sources...)
}

// constant adds a Constant for the sake of layer at.
func (e *editor) constant(at *ir.Layer, value *ir.Tensor) ir.Input {
	return ir.Input{Source: e.Constant(at, "", value)}
}

// replace makes the readers of output 0 of layer read to.
func (e *editor) replace(layer *ir.Layer, to edit.Source) {
	if to.Layer.Index >= e.layers {
		e.facts[to.Layer] = e.fact(ir.Input{Source: layer})
	}
	e.Replace(edit.First(layer), to)
}

// done brings the order of the layers up to date, and reports whether the pass has changed
// anything.
func (e *editor) done() bool {
	changed := e.Changed()
	if err := e.Finish(); err != nil {
		panic("BUG: " + err.Error())
	}
	return changed
}

// only reports whether layer has one output, which has one reader.
func (e *editor) only(layer *ir.Layer) bool {
	return len(layer.Outputs) <= 1 && e.ReaderCount(edit.First(layer)) == 1
}

// fact returns what is known of what in reads: nothing if that is a layer that was added
// and replaces no other.
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
