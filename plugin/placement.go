package plugin

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
)

// lifetimes sets value.first and value.last of the owners.
func (p *planner) lifetimes() {
	for v := range p.values {
		p.shorten(v)
	}
	for i := range p.steps {
		for _, v := range p.steps[i].outputs {
			// If v is a late view, an earlier step has written the memory.
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

// use records that a step uses the memory of v.
func (p *planner) use(v, step int) {
	o := &p.values[p.owner(v)]
	o.last = max(o.last, step)
}

// place assigns each owner an offset in the arena or, if its size is unknown, a slot. Values that no
// step uses together can share memory.
func (p *planner) place(limit int64) error {
	bytes, strings := arena{limit: limit, align: memory.Align}, arena{limit: limit / stringBytes, align: 1}
	var slots slotList
	ends := make([][]int, len(p.steps)+1) // owners by their last step
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
	p.inSlots = make([][]int, p.slots)
	for v := range p.values {
		if o := &p.values[p.owner(v)]; o.kind == inSlot && o.first >= 0 {
			p.inSlots[o.place] = append(p.inSlots[o.place], v)
		}
	}
	if bytes.over || strings.over {
		return faults.Errorf("the tensors need more memory than MaxTotalBytes, %d bytes", limit)
	}
	return nil
}

// slotList allocates the numbers of slots. It reuses free ones.
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
