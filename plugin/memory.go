package plugin

import (
	"fmt"
	"slices"

	"github.com/vinoir/vinoir/ir"
)

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

// lifetimes finds the steps between which the memory of each value is in use.
func (p *planner) lifetimes() {
	for v := range p.values {
		p.shorten(v)
	}
	for i := range p.steps {
		for _, v := range p.steps[i].outputs {
			// A late view is an output in memory that an earlier step wrote.
			if o := &p.values[p.owner(v)]; o.first < 0 {
				o.first = i
			}
			p.use(v, i)
		}
		for _, v := range p.steps[i].inputs {
			p.use(v, i)
		}
	}
	for _, v := range p.results {
		p.use(v, len(p.steps))
	}
}

func (p *planner) use(v, step int) {
	o := &p.values[p.owner(v)]
	o.last = max(o.last, step)
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

// place gives every owner its place in the arena, and its slot where its size is
// not known. Values that are not in use at the same step may share memory.
func (p *planner) place(limit int64) error {
	bytes, strings := arena{limit: limit}, arena{limit: limit}
	var slots slotList
	ends := make([][]int, len(p.steps)+1) // owners by the last step that reads them
	placed := make([]bool, len(p.values))
	for i := range p.steps {
		s := &p.steps[i]
		for _, v := range s.outputs {
			v = p.owner(v)
			o := &p.values[v]
			if o.first != i || placed[v] || o.kind != inArena && o.kind != inSlot {
				continue
			}
			placed[v] = true
			switch {
			case o.kind == inSlot:
				o.place = slots.take()
			case o.elementType == ir.String:
				o.place = strings.take(o.size)
			default:
				o.place = bytes.take(o.size)
			}
			ends[o.last] = append(ends[o.last], v)
		}
		if s.scratchBytes > 0 {
			s.scratch = bytes.take(s.scratchBytes)
			bytes.give(s.scratch, s.scratchBytes)
		}
		for _, v := range ends[i] {
			switch o := &p.values[v]; {
			case o.kind == inSlot:
				slots.give(o.place)
			case o.elementType == ir.String:
				strings.give(o.place, o.size)
			default:
				bytes.give(o.place, o.size)
			}
		}
	}
	p.arena, p.strings, p.slots = bytes.size, strings.size, slots.count
	if bytes.over || strings.over {
		return fmt.Errorf("the tensors need more memory than MaxTotalBytes, %d bytes", limit)
	}
	return nil
}

// arenaAlign is a cache line, the widest alignment that kernels profit from.
const arenaAlign = 64

// arena hands out ranges of one block of memory, whose size it finds.
type arena struct {
	size  int
	limit int64
	over  bool   // the size would be beyond the limit
	free  []span // by offset, apart from each other
}

type span struct{ offset, size int }

// take returns the offset of a free range of n bytes: in the smallest free span
// that holds it, or at the end.
func (a *arena) take(n int) int {
	if n == 0 || a.over {
		return 0
	}
	if int64(n) > a.limit {
		a.over = true
		return 0
	}
	n = (n + arenaAlign - 1) &^ (arenaAlign - 1)
	best := -1
	for i, s := range a.free {
		if s.size >= n && (best < 0 || s.size < a.free[best].size) {
			best = i
		}
	}
	if best >= 0 {
		s := &a.free[best]
		offset := s.offset
		s.offset, s.size = s.offset+n, s.size-n
		if s.size == 0 {
			a.free = slices.Delete(a.free, best, best+1)
		}
		return offset
	}
	offset := a.size
	// A free span at the end is lengthened.
	if last := len(a.free) - 1; last >= 0 && a.free[last].offset+a.free[last].size == a.size {
		offset = a.free[last].offset
		a.free = a.free[:last]
	}
	if int64(offset) > a.limit-int64(n) {
		a.over = true
		return 0
	}
	a.size = offset + n
	return offset
}

// give frees a range that take returned.
func (a *arena) give(offset, n int) {
	if n == 0 || a.over {
		return
	}
	n = (n + arenaAlign - 1) &^ (arenaAlign - 1)
	i, _ := slices.BinarySearchFunc(a.free, offset, func(s span, offset int) int { return s.offset - offset })
	a.free = slices.Insert(a.free, i, span{offset, n})
	if i+1 < len(a.free) && offset+n == a.free[i+1].offset {
		a.free[i].size += a.free[i+1].size
		a.free = slices.Delete(a.free, i+1, i+2)
	}
	if i > 0 && a.free[i-1].offset+a.free[i-1].size == offset {
		a.free[i-1].size += a.free[i].size
		a.free = slices.Delete(a.free, i, i+1)
	}
}

// slotList hands out numbers, the ones given back first.
type slotList struct {
	count int
	free  []int
}

func (l *slotList) take() int {
	if n := len(l.free); n > 0 {
		slot := l.free[n-1]
		l.free = l.free[:n-1]
		return slot
	}
	l.count++
	return l.count - 1
}

func (l *slotList) give(slot int) { l.free = append(l.free, slot) }
