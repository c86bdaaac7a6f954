package plugin

import "slices"

// pieces makes the outputs of a step of static shapes lie in the memory of input 0
// where they are pieces of it: nothing is left to run.
func (p *planner) pieces(s *step) bool {
	if s.op.Memory.Pieces == nil || p.readsValues(s.op, s.layer) {
		return false
	}
	in := &p.values[s.inputs[0]]
	if kind := p.values[p.owner(s.inputs[0])].kind; kind != inArena && kind != ofCaller {
		return false
	}
	starts := s.op.Memory.Pieces(p.preparation(s))
	if starts == nil || in.elementType.Size() == 0 {
		return false
	}
	for i, v := range s.outputs {
		out := &p.values[v]
		out.kind, out.owner, out.at = ofAnother, s.inputs[0], starts[i]*in.elementType.Size()
	}
	return true
}

// joins makes the inputs of a step of static shapes lie in the memory of output 0
// where that is made of them, so that nothing is left to run. It needs inputs with
// memory of their own.
func (p *planner) joins(s *step) bool {
	if s.op.Memory.Joins == nil || p.readsValues(s.op, s.layer) {
		return false
	}
	owners := make([]int, len(s.inputs))
	for i, v := range s.inputs {
		owners[i] = p.owner(v)
		if p.values[owners[i]].kind != inArena || !p.whole(v) || slices.Contains(owners[:i], owners[i]) {
			return false
		}
	}
	starts := s.op.Memory.Joins(p.preparation(s))
	size := p.values[s.outputs[0]].elementType.Size()
	if starts == nil || size == 0 {
		return false
	}
	for i, owner := range owners {
		in := &p.values[owner]
		in.kind, in.owner, in.at = ofAnother, s.outputs[0], starts[i]*size
	}
	return true
}
