package infer

import "github.com/vinoir/vinoir/ir"

// maxUpstream limits the number of layers that all searches of one Propagate visit.
const maxUpstream = 1 << 22

// upstream returns the fact of output 0 of a layer that layer depends on and that match
// accepts; nil if there is none. Beyond maxUpstream, it returns a fact of unknown type and
// rank.
func (p *pass) upstream(layer *ir.Layer, match func(*ir.Layer) bool) *ir.Fact {
	seen := map[*ir.Layer]bool{layer: true}
	for stack := []*ir.Layer{layer}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if p.visited++; p.visited > maxUpstream {
			return &ir.Fact{Shape: ir.UnknownRank} // the search is too long
		}
		for i := range at.Inputs {
			source := at.Inputs[i].Source
			if seen[source] {
				continue
			}
			if match(source) {
				return &p.shapes.Outputs(source)[0]
			}
			seen[source] = true
			stack = append(stack, source)
		}
	}
	return nil
}
