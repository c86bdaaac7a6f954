package ir

import "slices"

// Clone returns a copy of m. The layers, their ports, the lists of layers and the bodies of the
// copy can be changed without changing m. Constants, attributes and the names of ports are
// shared. The copy must not be used after m is closed; closing the copy does nothing.
func (m *Model) Clone() *Model {
	c := *m
	c.owner = false
	layers := make([]Layer, len(m.Layers))
	c.Layers = make([]*Layer, len(m.Layers))
	for i, layer := range m.Layers {
		layers[i] = *layer
		c.Layers[i] = &layers[i]
	}
	for i := range layers {
		layer := &layers[i]
		layer.Inputs, layer.Outputs = slices.Clone(layer.Inputs), slices.Clone(layer.Outputs)
		for k := range layer.Inputs {
			in := &layer.Inputs[k]
			in.Source = c.Layers[in.Source.Index]
		}
		if layer.Origin != nil {
			layer.Origin = c.Layers[layer.Origin.Index]
		}
		layer.Bodies = slices.Clone(layer.Bodies)
		for k := range layer.Bodies {
			layer.Bodies[k].clone(layer)
		}
	}
	for _, list := range []*[]*Layer{&c.Parameters, &c.Results, &c.Sinks, &c.Order} {
		*list = slices.Clone(*list)
		for i, layer := range *list {
			(*list)[i] = c.Layers[layer.Index]
		}
	}
	return &c
}

// clone completes b, a shallow copy of a body: it clones the body's model for the layer owner
// and redirects the ports and back edges to the cloned layers.
func (b *Body) clone(owner *Layer) {
	b.Model = b.Model.Clone()
	layers := b.Model.Layers
	for _, layer := range layers {
		layer.Owner = owner
	}
	for _, ports := range []*[]BodyPort{&b.Inputs, &b.Outputs} {
		*ports = slices.Clone(*ports)
		for i := range *ports {
			if p := &(*ports)[i]; p.Internal != nil {
				p.Internal = layers[p.Internal.Index]
			}
		}
	}
	b.BackEdges = slices.Clone(b.BackEdges)
	for i := range b.BackEdges {
		e := &b.BackEdges[i]
		e.From, e.To = layers[e.From.Index], layers[e.To.Index]
	}
}
