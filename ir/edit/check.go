package edit

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// Check returns an error if m breaks a promise of ir.Model: positions and ids of layers,
// sources of inputs, the order, and the port maps of bodies. Every change of a graph keeps
// these promises.
func Check(m *ir.Model) error {
	ids := make(map[uint64]*ir.Layer, len(m.Layers))
	for i, layer := range m.Layers {
		if layer.Index != i {
			return faults.Errorf("%v stands at %d, its index is %d", layer, i, layer.Index)
		}
		if other := ids[layer.ID]; other != nil {
			return faults.Errorf("%v and %v have one id", other, layer)
		}
		ids[layer.ID] = layer
		if layer.Origin != nil && !holds(m, layer.Origin) {
			return faults.Errorf("%v was added for a layer of another model", layer)
		}
		for k, in := range layer.Inputs {
			if in.Source == nil || !holds(m, in.Source) {
				return faults.Errorf("input %d of %v reads no layer of the model", k, layer)
			}
			if in.SourceIndex < 0 || in.SourceIndex >= len(in.Source.Outputs) {
				return faults.Errorf("input %d of %v reads output %d of %v, which has %d", k, layer, in.SourceIndex, in.Source, len(in.Source.Outputs))
			}
		}
		for k := range layer.Bodies {
			if err := checkBody(layer, &layer.Bodies[k], k); err != nil {
				return err
			}
		}
	}
	return checkOrder(m)
}

// holds reports whether layer is in m.
func holds(m *ir.Model, layer *ir.Layer) bool {
	return layer.Index >= 0 && layer.Index < len(m.Layers) && m.Layers[layer.Index] == layer
}

// checkOrder checks the lists of layers of m.
func checkOrder(m *ir.Model) error {
	done := make([]bool, len(m.Layers))
	for _, layer := range m.Order {
		if !holds(m, layer) {
			return faults.Errorf("%v is in the order, but not in the model", layer)
		}
		if done[layer.Index] {
			return faults.Errorf("%v is in the order twice", layer)
		}
		for _, in := range layer.Inputs {
			if !done[in.Source.Index] {
				return faults.Errorf("%v comes before %v, which it reads", layer, in.Source)
			}
		}
		done[layer.Index] = true
	}
	for _, list := range [][]*ir.Layer{m.Parameters, m.Results, m.Sinks} {
		for _, layer := range list {
			if !holds(m, layer) || !done[layer.Index] {
				return faults.Errorf("%v is an end of the model, but not in the order", layer)
			}
		}
	}
	return nil
}

// checkBody checks b, body i of layer.
func checkBody(layer *ir.Layer, b *ir.Body, i int) error {
	for _, inner := range b.Model.Layers {
		if inner.Owner != layer || inner.OwnerBody != i {
			return faults.Errorf("%v is in body %d of %v, but has another owner", inner, i, layer)
		}
	}
	for _, port := range b.Inputs {
		if port.Internal == nil || !holds(b.Model, port.Internal) || port.External >= len(layer.Inputs) {
			return faults.Errorf("body %d of %v has a port map of input %d that leads nowhere", i, layer, port.External)
		}
	}
	for _, port := range b.Outputs {
		if port.Internal == nil || !holds(b.Model, port.Internal) {
			return faults.Errorf("body %d of %v has a port map of output %d that leads nowhere", i, layer, port.External)
		}
	}
	for _, edge := range b.BackEdges {
		if edge.From == nil || edge.To == nil || !holds(b.Model, edge.From) || !holds(b.Model, edge.To) {
			return faults.Errorf("body %d of %v has a back edge that leads nowhere", i, layer)
		}
	}
	return Check(b.Model)
}
