package plugin

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
)

// view puts output 0 into the memory of input 0 if the op allows it, and reports whether no step has
// to run. An output of the model must not be in the caller's tensors, which can change, or in
// constants, which the caller could change: a Result copies those.
func (p *planner) view(s *step, isResult, late bool) (bool, error) {
	if !s.op.Memory.View || len(s.inputs) == 0 || len(s.outputs) != 1 {
		return false, nil
	}
	in, out := &p.values[s.inputs[0]], &p.values[s.outputs[0]]
	if in.elementType != out.elementType {
		return false, nil
	}
	owner := p.owner(s.inputs[0])
	if kind := p.values[owner].kind; isResult && (kind == ofCaller || kind == ofModel) {
		return false, nil
	}
	if !in.late() && !out.late() && in.shape.Elements() != out.shape.Elements() {
		return false, faults.Errorf("input shape %v has %d elements, output shape %v has %d",
			in.shape, in.shape.Elements(), out.shape, out.shape.Elements())
	}
	if isResult {
		p.values = p.values[:s.outputs[0]] // the value for the output is not needed
		p.outputs[s.layer.Index] = []int{s.inputs[0]}
		return true, nil
	}
	out.kind, out.owner, out.at = ofAnother, owner, p.start(s.inputs[0])
	// The address of a slot is known only at run time, so that a view of it is a step.
	return !late && p.values[owner].kind != inSlot, nil
}

// pieces puts the outputs of a step of static shapes into the memory of input 0 if they are contiguous
// pieces of it, and reports whether they are. No step has to run then.
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

// joins puts the inputs of a step of static shapes into the memory of output 0 if they are contiguous
// pieces of it, and reports whether they are. No step has to run then. Each input must have its own
// memory in the arena.
func (p *planner) joins(s *step) bool {
	if s.op.Memory.Joins == nil || p.readsValues(s.op, s.layer) {
		return false
	}
	owners, seen := make([]int, len(s.inputs)), make(map[int]bool, len(s.inputs))
	for i, v := range s.inputs {
		owner := p.owner(v)
		if p.values[owner].kind != inArena || !p.whole(v) || seen[owner] {
			return false
		}
		owners[i], seen[owner] = owner, true
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

// shorten sets the owner of v, and of every value on the path to its owner, to that owner. Without it,
// long paths through nested joins would be walked repeatedly.
func (p *planner) shorten(v int) {
	var path []int
	for p.values[v].owner != v {
		path = append(path, v)
		v = p.values[v].owner
	}
	at := 0
	for _, w := range slices.Backward(path) {
		at += p.values[w].at
		p.values[w].owner, p.values[w].at = v, at
	}
}

// shareInPlace puts output 0 of a step into the memory of an input that no later step reads, if the op
// can compute in place.
func (p *planner) shareInPlace() {
	for i := range p.steps {
		s := &p.steps[i]
		for _, k := range s.op.Memory.InPlace {
			if k < len(s.inputs) && p.canTakeOver(i, s.inputs[k], s) {
				p.takeOver(s.inputs[k], s.outputs[0])
				break
			}
		}
	}
}

// canTakeOver reports whether output 0 of s, which is step i, can take over the memory of the value
// in: s reads it once, no later step does, and it has the type and shape of the output.
func (p *planner) canTakeOver(i, in int, s *step) bool {
	owner, out := p.owner(in), s.outputs[0]
	if o := &p.values[owner]; o.kind != inArena || o.last != i || p.values[out].kind != inArena {
		return false
	}
	if p.values[in].late() || p.values[in].elementType != p.values[out].elementType || !slices.Equal(p.values[in].shape, p.values[out].shape) {
		return false
	}
	readers := 0
	for _, v := range s.inputs {
		if p.owner(v) == owner {
			readers++
		}
	}
	return readers == 1
}

// takeOver puts the value out into the memory of the value in.
func (p *planner) takeOver(in, out int) {
	owner := &p.values[p.owner(in)]
	owner.last = max(owner.last, p.values[out].last)
	p.values[out].kind, p.values[out].owner, p.values[out].at = ofAnother, p.owner(in), p.start(in)
}

// groupResults finds the values in the memory of each output: views, pieces and values that are
// computed in place.
func (p *planner) groupResults() {
	p.group = make([][]int, len(p.results))
	resultOf := make(map[int]int, len(p.results)) // by owner
	for i, v := range p.results {
		owner := p.owner(v)
		if _, taken := resultOf[owner]; !taken && p.values[owner].kind == inArena && p.whole(v) {
			resultOf[owner] = i
		}
	}
	for v := range p.values {
		if i, ok := resultOf[p.owner(v)]; ok {
			p.group[i] = append(p.group[i], v)
		}
	}
	for i, group := range p.group {
		if slices.ContainsFunc(group, func(v int) bool { return p.values[v].late() }) {
			p.group[i] = nil // a late view sets its memory itself
		}
	}
}
