package infer

import "github.com/vinoir/vinoir/ir"

// maxUpstream bounds the layers that all walks of one Propagate come to.
const maxUpstream = 1 << 22

// upstream walks from layer to the layers that it depends on.
func (p *pass) upstream(layer *ir.Layer, match func(*ir.Layer) bool) *ir.Fact {
	seen := map[*ir.Layer]bool{layer: true}
	for stack := []*ir.Layer{layer}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if p.visited++; p.visited > maxUpstream {
			return &ir.Fact{Shape: ir.UnknownRank} // too far to tell
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
