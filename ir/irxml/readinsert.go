package irxml

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// insert adds a layer that is not in the file. It gets an id above all others.
func (g *graph) insert(layer *ir.Layer) *ir.Layer {
	if g.nextID == 0 {
		for _, l := range g.model.Layers {
			g.nextID = max(g.nextID, l.ID+1)
		}
	}
	layer.ID = g.nextID
	g.nextID++
	layer.Index = len(g.model.Layers)
	layer.Owner, layer.OwnerBody = g.owner, g.ownerBody
	g.model.Layers = append(g.model.Layers, layer)
	return layer
}

// consumers returns the inputs that read the first output of each of sources.
func (g *graph) consumers(sources ...*ir.Layer) map[*ir.Layer][]*ir.Input {
	lists := make(map[*ir.Layer][]*ir.Input, len(sources))
	for _, source := range sources {
		lists[source] = nil
	}
	for _, l := range g.model.Layers {
		for i := range l.Inputs {
			in := &l.Inputs[i]
			if list, ok := lists[in.Source]; ok && in.SourceIndex == 0 {
				lists[in.Source] = append(list, in)
			}
		}
	}
	return lists
}

// insertConvert inserts a Convert from output index of source for the consumers.
func (g *graph) insertConvert(name string, source *ir.Layer, index int, t ir.ElementType, consumers ...*ir.Input) {
	convert := g.insert(&ir.Layer{
		Name: name, Type: "Convert", FileType: "Convert", Opset: "opset1",
		Data:    edit.Attributes("destination_type", t.String()),
		Inputs:  []ir.Input{{Port: 0, Source: source, SourceIndex: index}},
		Outputs: []ir.Output{{Port: 1, DeclaredType: t, Declared: source.Outputs[index].Declared}},
	})
	for _, in := range consumers {
		in.Source, in.SourceIndex = convert, 0
	}
}
