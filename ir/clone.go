package ir

import "slices"

// Clone returns a copy of m of which the layers, their ports, the lists of layers
// and the bodies can be changed. Constants, attributes and the ports' names are
// shared: the copy is of use as long as m is, and its Close does nothing.
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

// clone makes b, a copy of a Body, one of owner with a model of its own.
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
