package plugin

import (
	"fmt"
	"slices"
)

// view makes output 0 share the memory of input 0 where the layer allows it;
// true if no step is left to run. An output of the model must not lie in the
// memory of the caller's tensors, which may change, or of constants, which must
// not: a Result copies those.
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
		return false, fmt.Errorf("input shape %v has %d elements, output shape %v has %d",
			in.shape, in.shape.Elements(), out.shape, out.shape.Elements())
	}
	if isResult {
		p.values = p.values[:s.outputs[0]] // the value added last is not needed
		p.outputs[s.layer.Index] = []int{s.inputs[0]}
		return true, nil
	}
	out.kind, out.owner, out.at = ofAnother, owner, p.start(s.inputs[0])
	return !late, nil
}

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

// shorten makes v, and every value on the way to its owner, name that owner itself: ways
// through many joints would be walked again and again.
func (p *planner) shorten(v int) {
	var way []int
	for p.values[v].owner != v {
		way = append(way, v)
		v = p.values[v].owner
	}
	at := 0
	for _, w := range slices.Backward(way) {
		at += p.values[w].at
		p.values[w].owner, p.values[w].at = v, at
	}
}

// shareInPlace lets output 0 of a step take over the memory of an input that
// nothing reads later.
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

// canTakeOver reports whether input in of step s, which is step i, lies in memory
// that is free after it, is like output 0, and is read by s only once.
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

func (p *planner) takeOver(in, out int) {
	owner := &p.values[p.owner(in)]
	owner.last = max(owner.last, p.values[out].last)
	p.values[out].kind, p.values[out].owner, p.values[out].at = ofAnother, p.owner(in), p.start(in)
}

// groupResults finds the values that lie in the memory of each output: views, pieces
// and values computed in place.
func (p *planner) groupResults() {
	p.group = make([][]int, len(p.results))
	of := make(map[int]int, len(p.results)) // owner to result
	for i, v := range p.results {
		owner := p.owner(v)
		if _, taken := of[owner]; !taken && p.values[owner].kind == inArena && p.whole(v) {
			of[owner] = i
		}
	}
	for v := range p.values {
		if i, ok := of[p.owner(v)]; ok {
			p.group[i] = append(p.group[i], v)
		}
	}
	for i, group := range p.group {
		if slices.ContainsFunc(group, func(v int) bool { return p.values[v].late() }) {
			p.group[i] = nil // a late view sets its memory itself
		}
	}
}
