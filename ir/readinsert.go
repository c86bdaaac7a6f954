package ir

// insert adds a layer that is not in the file. It gets an id above all others.
func (g *graph) insert(layer *Layer) *Layer {
	if g.nextID == 0 {
		for _, l := range g.model.Layers {
			g.nextID = max(g.nextID, l.ID+1)
		}
	}
	layer.ID = g.nextID
	g.nextID++
	layer.Index = len(g.model.Layers)
	g.model.Layers = append(g.model.Layers, layer)
	return layer
}

// consumers returns the inputs that read the first output of layer.
func (g *graph) consumers(layer *Layer) []*Input {
	var list []*Input
	for _, l := range g.model.Layers {
		for i := range l.Inputs {
			if l.Inputs[i].Source == layer && l.Inputs[i].SourceIndex == 0 {
				list = append(list, &l.Inputs[i])
			}
		}
	}
	return list
}

// insertConvert inserts a Convert from output index of source for the consumers.
func (g *graph) insertConvert(name string, source *Layer, index int, t ElementType, consumers ...*Input) {
	convert := g.insert(&Layer{
		Name: name, Type: "Convert", FileType: "Convert", Opset: "opset1",
		Data:    []Attribute{{"destination_type", t.String()}},
		Inputs:  []Input{{Port: 0, Source: source, SourceIndex: index}},
		Outputs: []Output{{Port: 1, DeclaredType: t, Declared: source.Outputs[index].Declared}},
	})
	for _, in := range consumers {
		in.Source, in.SourceIndex = convert, 0
	}
}
