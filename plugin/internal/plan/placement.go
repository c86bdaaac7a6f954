package plan

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
)

// lifetimes sets value.first and value.last of the owners.
func (p *planner) lifetimes() {
	for v := range p.Values {
		p.shorten(v)
	}
	for i := range p.Steps {
		for _, v := range p.Steps[i].Outputs {
			// If v is a dynamic view, an earlier step has written the memory.
			if o := &p.Values[p.Owner(v)]; o.first < 0 {
				o.first = i
			}
			p.use(v, i)
		}
		for _, v := range p.Steps[i].Inputs {
			p.use(v, i)
		}
	}
	for _, v := range p.Results {
		p.use(v, len(p.Steps))
	}
}

// use records that a step uses the memory of v.
func (p *planner) use(v, step int) {
	o := &p.Values[p.Owner(v)]
	o.Last = max(o.Last, step)
}

// place assigns each owner an offset in the arena or, if its size is unknown, a slot. Values that
// no step uses together can share memory.
func (p *planner) place(limit int64) error {
	bytes, strings := arena{limit: limit, align: memory.Align}, arena{limit: limit / StringBytes, align: 1}
	var slots slotList
	ends := make([][]int, len(p.Steps)+1) // owners by their last step
	placed := make([]bool, len(p.Values))
	for i := range p.Steps {
		s := &p.Steps[i]
		for _, v := range s.Outputs {
			v = p.Owner(v)
			o := &p.Values[v]
			if o.first != i || placed[v] || o.Kind != inArena && o.Kind != InSlot {
				continue
			}
			placed[v] = true
			switch {
			case o.Kind == InSlot:
				o.Place = slots.take()
			case o.ElementType == ir.String:
				o.Place = strings.take(o.Size)
			default:
				o.Place = bytes.take(o.Size)
			}
			ends[o.Last] = append(ends[o.Last], v)
		}
		if s.ScratchBytes > 0 {
			s.Scratch = bytes.take(s.ScratchBytes)
			bytes.give(s.Scratch, s.ScratchBytes)
		}
		for _, v := range ends[i] {
			switch o := &p.Values[v]; {
			case o.Kind == InSlot:
				slots.give(o.Place)
			case o.ElementType == ir.String:
				strings.give(o.Place, o.Size)
			default:
				bytes.give(o.Place, o.Size)
			}
		}
	}
	p.Arena, p.Strings, p.Slots = bytes.size, strings.size, slots.count
	p.InSlots = make([][]int, p.Slots)
	for v := range p.Values {
		if o := &p.Values[p.Owner(v)]; o.Kind == InSlot && o.first >= 0 {
			p.InSlots[o.Place] = append(p.InSlots[o.Place], v)
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

// StringBytes is the number of bytes that a string counts as. Its text, which it shares with the
// tensor that it was copied from, is not counted.
const StringBytes = 16
