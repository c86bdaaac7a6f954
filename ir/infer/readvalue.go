package infer

import (
	"math/bits"

	"github.com/vinoir/vinoir/ir"
)

// maxVisited limits the number of layers and edges that the searches for ReadValues visit in one
// Propagate. This is enough for 50,000 variables in a graph of 150,000 edges.
const maxVisited = 1 << 27

// assignSources has, for each Assign of a graph, a ReadValue-3 of the same variable that it depends
// on.
type assignSources struct {
	found map[*ir.Layer]*ir.Layer
	cut   bool // the search ended at maxVisited
}

// readValue implements Context.ReadValue.
func (p *pass) readValue(assign *ir.Layer) *ir.Fact {
	s := p.assigns[p.model]
	if s == nil {
		s = p.findSources(p.model)
		if p.assigns == nil {
			p.assigns = make(map[*ir.Model]*assignSources)
		}
		p.assigns[p.model] = s
	}
	switch source := s.found[assign]; {
	case source != nil:
		return &p.shapes.Outputs(source)[0]
	case s.cut:
		return &ir.Fact{Shape: ir.UnknownRank}
	}
	return nil
}

// findSources searches the ReadValue of each Assign of m. It follows 64 ReadValues at a time
// through the graph, as the bits of a word for each layer, because a search for each Assign would
// visit the layers that many of them depend on again and again.
func (d *driver) findSources(m *ir.Model) *assignSources {
	g := variableGraph{
		assignSources: &assignSources{found: make(map[*ir.Layer]*ir.Layer)},
		order:         m.Order, first: make([]int32, 1, len(m.Order)+1), masks: make([]uint64, len(m.Order)), ids: make([]int, len(m.Order)),
	}
	position := make([]int32, len(m.Layers)) // in m.Order, by Layer.Index
	numbers := make(map[string]int)
	var reads []int // positions in m.Order
	for i, layer := range m.Order {
		position[layer.Index] = int32(i)
		for k := range layer.Inputs {
			g.sources = append(g.sources, position[layer.Inputs[k].Source.Index])
		}
		g.first = append(g.first, int32(len(g.sources)))
		read := layer.Type == "ReadValue" && (layer.Opset == "opset3" || layer.Opset == "opset4" || layer.Opset == "opset5")
		if read {
			reads = append(reads, i)
		}
		if read || layer.Type == "Assign" {
			id := ir.AttributesOf(layer).String("variable_id", "")
			if _, ok := numbers[id]; !ok {
				numbers[id] = len(numbers)
			}
			g.ids[i] = numbers[id]
		}
	}
	g.byID = make([]uint64, len(numbers))
	for len(reads) > 0 {
		if d.visited += len(m.Order) + len(g.sources); d.visited > maxVisited || d.poll() != nil {
			g.cut = true
			break
		}
		batch := reads[:min(len(reads), 64)]
		reads = reads[len(batch):]
		g.follow(batch)
	}
	return g.assignSources
}

// variableGraph is a graph during findSources. Its slices are indexed by the position of a layer in
// order.
type variableGraph struct {
	*assignSources
	order   []*ir.Layer
	first   []int32 // the sources of layer i are sources[first[i]:first[i+1]]
	sources []int32
	ids     []int    // a number for the variable_id of each ReadValue and Assign
	masks   []uint64 // the ReadValues of a batch that a layer depends on
	byID    []uint64 // the ReadValues of a batch with a variable_id, by its number
}

// follow finds the Assigns that depend on the ReadValues at the positions in batch.
func (g *variableGraph) follow(batch []int) {
	clear(g.masks)
	clear(g.byID)
	next := 0
	for i := batch[0]; i < len(g.order); i++ {
		mask := uint64(0)
		for _, source := range g.sources[g.first[i]:g.first[i+1]] {
			mask |= g.masks[source]
		}
		if layer := g.order[i]; mask != 0 && layer.Type == "Assign" {
			if at := mask & g.byID[g.ids[i]]; at != 0 && g.found[layer] == nil {
				g.found[layer] = g.order[batch[bits.TrailingZeros64(at)]]
			}
		}
		if next < len(batch) && i == batch[next] {
			mask |= 1 << next
			g.byID[g.ids[i]] |= 1 << next
			next++
		}
		g.masks[i] = mask
	}
}
