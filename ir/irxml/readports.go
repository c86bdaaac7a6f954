package irxml

import "github.com/vinoir/vinoir/ir"

// portIDs finds the position of a port by its id; of ports with the same id the
// first counts.
type portIDs struct {
	inputs  []ir.Input
	outputs []ir.Output
	byID    map[uint64]int
}

// manyPorts is the number of ports from which on a map finds them.
const manyPorts = 16

// slotFinder keeps the maps of layers with many outputs, which many edges leave.
type slotFinder struct {
	outputs map[*ir.Layer]map[uint64]int
}

func (f *slotFinder) inputsOf(layer *ir.Layer) portIDs {
	p := portIDs{inputs: layer.Inputs}
	if len(layer.Inputs) > manyPorts {
		p.byID = make(map[uint64]int, len(layer.Inputs))
		for i := len(layer.Inputs) - 1; i >= 0; i-- {
			p.byID[layer.Inputs[i].Port] = i
		}
	}
	return p
}

func (f *slotFinder) outputsOf(layer *ir.Layer) portIDs {
	p := portIDs{outputs: layer.Outputs}
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

func (p portIDs) find(id uint64) (int, bool) {
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
