package plan

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
)

// view puts output 0 into the memory of input 0 if the op allows it, and reports whether no step
// has to run. An output of the model must not be in the caller's tensors, which can change, or in
// constants, which the caller could change: a Result copies those.
func (p *planner) view(s *Step, isResult, dynamic bool) (bool, error) {
	if !s.op.Memory.View || len(s.Inputs) == 0 || len(s.Outputs) != 1 {
		return false, nil
	}
	in, out := &p.Values[s.Inputs[0]], &p.Values[s.Outputs[0]]
	if in.ElementType != out.ElementType {
		return false, nil
	}
	owner := p.Owner(s.Inputs[0])
	if kind := p.Values[owner].Kind; isResult && (kind == OfCaller || kind == OfModel) {
		return false, nil
	}
	if !in.IsDynamic() && !out.IsDynamic() && in.Shape.Elements() != out.Shape.Elements() {
		return false, faults.Errorf("input shape %v has %d elements, output shape %v has %d",
			in.Shape, in.Shape.Elements(), out.Shape, out.Shape.Elements())
	}
	if isResult {
		p.Values = p.Values[:s.Outputs[0]] // the value for the output is not needed
		p.outputs[s.Layer.Index] = []int{s.Inputs[0]}
		return true, nil
	}
	out.Kind, out.owner, out.at = ofAnother, owner, p.Start(s.Inputs[0])
	// The address of a slot is known only at run time, so that a view of it is a step.
	return !dynamic && p.Values[owner].Kind != InSlot, nil
}

// pieces puts the outputs of a step of static shapes into the memory of input 0 if they are
// contiguous pieces of it, and reports whether they are. No step has to run then.
func (p *planner) pieces(s *Step) bool {
	if s.op.Memory.Pieces == nil || p.readsValues(s.op, s.Layer) {
		return false
	}
	in := &p.Values[s.Inputs[0]]
	if kind := p.Values[p.Owner(s.Inputs[0])].Kind; kind != inArena && kind != OfCaller {
		return false
	}
	starts := s.op.Memory.Pieces(p.preparation(s))
	if starts == nil || in.ElementType.Size() == 0 {
		return false
	}
	for i, v := range s.Outputs {
		out := &p.Values[v]
		out.Kind, out.owner, out.at = ofAnother, s.Inputs[0], starts[i]*in.ElementType.Size()
	}
	return true
}

// joins puts the inputs of a step of static shapes into the memory of output 0 if they are
// contiguous pieces of it, and reports whether they are. No step has to run then. Each input must
// have its own memory in the arena.
func (p *planner) joins(s *Step) bool {
	if s.op.Memory.Joins == nil || p.readsValues(s.op, s.Layer) {
		return false
	}
	owners, seen := make([]int, len(s.Inputs)), make(map[int]bool, len(s.Inputs))
	for i, v := range s.Inputs {
		owner := p.Owner(v)
		if p.Values[owner].Kind != inArena || !p.whole(v) || seen[owner] {
			return false
		}
		owners[i], seen[owner] = owner, true
	}
	starts := s.op.Memory.Joins(p.preparation(s))
	size := p.Values[s.Outputs[0]].ElementType.Size()
	if starts == nil || size == 0 {
		return false
	}
	for i, owner := range owners {
		in := &p.Values[owner]
		in.Kind, in.owner, in.at = ofAnother, s.Outputs[0], starts[i]*size
	}
	return true
}

// shorten sets the owner of v, and of every value on the path to its owner, to that owner. Without
// it, long paths through nested joins would be walked repeatedly.
func (p *planner) shorten(v int) {
	var path []int
	for p.Values[v].owner != v {
		path = append(path, v)
		v = p.Values[v].owner
	}
	at := 0
	for _, w := range slices.Backward(path) {
		at += p.Values[w].at
		p.Values[w].owner, p.Values[w].at = v, at
	}
}

// shareInPlace puts output 0 of a step into the memory of an input that no later step reads, if the
// op can compute in place.
func (p *planner) shareInPlace() {
	for i := range p.Steps {
		s := &p.Steps[i]
		for _, k := range s.op.Memory.InPlace {
			if k < len(s.Inputs) && p.canTakeOver(i, s.Inputs[k], s) {
				p.takeOver(s.Inputs[k], s.Outputs[0])
				break
			}
		}
	}
}

// canTakeOver reports whether output 0 of s, which is step i, can take over the memory of the value
// in: s reads it once, no later step does, and it has the type and shape of the output.
func (p *planner) canTakeOver(i, in int, s *Step) bool {
	owner, out := p.Owner(in), s.Outputs[0]
	if o := &p.Values[owner]; o.Kind != inArena || o.Last != i || p.Values[out].Kind != inArena {
		return false
	}
	if p.Values[in].IsDynamic() || p.Values[in].ElementType != p.Values[out].ElementType || !slices.Equal(p.Values[in].Shape, p.Values[out].Shape) {
		return false
	}
	readers := 0
	for _, v := range s.Inputs {
		if p.Owner(v) == owner {
			readers++
		}
	}
	return readers == 1
}

// takeOver puts the value out into the memory of the value in.
func (p *planner) takeOver(in, out int) {
	owner := &p.Values[p.Owner(in)]
	owner.Last = max(owner.Last, p.Values[out].Last)
	p.Values[out].Kind, p.Values[out].owner, p.Values[out].at = ofAnother, p.Owner(in), p.Start(in)
}

// groupResults finds the values in the memory of each output: views, pieces and values that are
// computed in place.
func (p *planner) groupResults() {
	p.Group = make([][]int, len(p.Results))
	resultOf := make(map[int]int, len(p.Results)) // by owner
	for i, v := range p.Results {
		owner := p.Owner(v)
		if _, taken := resultOf[owner]; !taken && p.Values[owner].Kind == inArena && p.whole(v) {
			resultOf[owner] = i
		}
	}
	for v := range p.Values {
		if i, ok := resultOf[p.Owner(v)]; ok {
			p.Group[i] = append(p.Group[i], v)
		}
	}
	for i, group := range p.Group {
		if slices.ContainsFunc(group, func(v int) bool { return p.Values[v].IsDynamic() }) {
			p.Group[i] = nil // a dynamic view sets its memory itself
		}
	}
}
