// Package rewrite has what all passes need to change a graph: an Editor, and functions that match
// layers and constants.
package rewrite

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops"
)

// Editor changes the graph for a pass. It is an edit.Editor with access to the inferred facts of
// the layers.
type Editor struct {
	*ops.Graph
	*edit.Editor
	Layers int                   // number of layers before the pass
	Facts  map[*ir.Layer]ir.Fact // output 0 of added layers that replace others
}

// NewEditor returns an editor of g.Model.
//
// It is not inlined: the code of the command would be 7 KiB larger.
//
//go:noinline
func NewEditor(g *ops.Graph) *Editor {
	return &Editor{Graph: g, Editor: edit.New(g.Model), Layers: len(g.Model.Layers), Facts: map[*ir.Layer]ir.Fact{}}
}

// AddLayer adds a layer with one output on behalf of layer at. It has the name of at.
func (e *Editor) AddLayer(at *ir.Layer, layerType, opset string, data []ir.Attribute, inputs ...ir.Input) *ir.Layer {
	sources := make([]edit.Source, len(inputs))
	for i, in := range inputs {
		sources[i] = edit.SourceOf(in)
	}
	return e.Insert(at, "", layerType, opset, data, sources...)
}

// AddConvert adds a Convert of in to type t on behalf of layer at.
func (e *Editor) AddConvert(at *ir.Layer, in ir.Input, t ir.ElementType) *ir.Layer {
	return e.AddLayer(at, "Convert", "opset1", edit.Attributes("destination_type", t.String()), in)
}

// AddConstant adds a Constant on behalf of layer at, and returns an input that reads it.
func (e *Editor) AddConstant(at *ir.Layer, value *ir.Tensor) ir.Input {
	return ir.Input{Source: e.Constant(at, "", value)}
}

// ReplaceLayer connects the readers of output 0 of layer to the output `to` instead.
func (e *Editor) ReplaceLayer(layer *ir.Layer, to edit.Source) {
	if to.Layer.Index >= e.Layers {
		e.Facts[to.Layer] = e.Fact(ir.Input{Source: layer})
	}
	e.Replace(edit.First(layer), to)
}

// Done updates the order of the layers. It reports whether the pass has changed anything.
func (e *Editor) Done() bool {
	changed := e.Changed()
	if err := e.Finish(); err != nil {
		panic("BUG: " + err.Error())
	}
	return changed
}

// HasOneReader reports whether layer has one output and that output has one reader.
func (e *Editor) HasOneReader(layer *ir.Layer) bool {
	return len(layer.Outputs) <= 1 && e.ReaderCount(edit.First(layer)) == 1
}

// Fact returns what is known about the tensor that in reads. Nothing is known about the output of
// an added layer, unless the layer is a Constant or is in facts.
func (e *Editor) Fact(in ir.Input) ir.Fact {
	if in.Source.Constant != nil {
		t := in.Source.Constant
		return ir.Fact{Type: t.ElementType(), Shape: t.Shape().Partial(), Tensor: t}
	}
	if fact, ok := e.Facts[in.Source]; ok {
		return fact
	}
	if facts := e.Shapes.Outputs(in.Source); in.SourceIndex < len(facts) {
		return facts[in.SourceIndex]
	}
	return ir.Fact{Shape: ir.UnknownRank}
}
