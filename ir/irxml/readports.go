package irxml

import "github.com/vinoir/vinoir/ir"

// portIndex finds the position of a port of a layer by its id. If several ports have the same
// id, it finds the first. byID is nil for few ports.
type portIndex struct {
	inputs  []ir.Input
	outputs []ir.Output
	byID    map[uint64]int
}

// manyPorts is the number of ports, or names, above which a map replaces linear search.
const manyPorts = 16

// portFinder returns the portIndex of layers. It keeps the maps of the outputs, because many
// edges can start at one layer.
type portFinder struct {
	outputs map[*ir.Layer]map[uint64]int
}

func (f *portFinder) inputsOf(layer *ir.Layer) portIndex {
	p := portIndex{inputs: layer.Inputs}
	if len(layer.Inputs) > manyPorts {
		p.byID = make(map[uint64]int, len(layer.Inputs))
		for i := len(layer.Inputs) - 1; i >= 0; i-- {
			p.byID[layer.Inputs[i].Port] = i
		}
	}
	return p
}

func (f *portFinder) outputsOf(layer *ir.Layer) portIndex {
	p := portIndex{outputs: layer.Outputs}
	if len(layer.Outputs) > manyPorts {
		if p.byID = f.outputs[layer]; p.byID == nil {
			p.byID = make(map[uint64]int, len(layer.Outputs))
			for i := len(layer.Outputs) - 1; i >= 0; i-- {
				p.byID[layer.Outputs[i].Port] = i
			}
			f.outputs[layer] = p.byID
		}
	}
	return p
}

// find returns the position of the port with the given id; false if there is none.
func (p portIndex) find(id uint64) (int, bool) {
	if p.byID != nil {
		i, ok := p.byID[id]
		return i, ok
	}
	for i := range p.inputs {
		if p.inputs[i].Port == id {
			return i, true
		}
	}
	for i := range p.outputs {
		if p.outputs[i].Port == id {
			return i, true
		}
	}
	return 0, false
}
