package plugin

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin/internal/memory"
)

// requestMemory is the memory that an execution computes in. All plans of the execution share it.
type requestMemory struct {
	budget *memory.Ledger

	arena   []byte
	strings []string
	slots   []slot
	scratch []byte // for late steps
}

// stringBytes is the number of bytes that a string counts as. Its text, which it shares with the tensor
// that it was copied from, is not counted.
const stringBytes = 16

// fits reports whether the arena and the strings are large enough for p.
func (m *requestMemory) fits(p *plan) bool {
	return p.arena <= len(m.arena) && p.strings <= len(m.strings)
}

// hold makes the memory large enough for p. If it does not fit yet, nothing else may refer to the arena
// and the strings, which are allocated again.
func (m *requestMemory) hold(p *plan) error {
	if n := len(m.arena); p.arena > n {
		if err := m.budget.Charge(int64(p.arena - n)); err != nil {
			return err
		}
		m.arena = nil // it can be collected before the new one is allocated
		m.arena = ir.AlignedBytes(p.arena)
	}
	if n := len(m.strings); p.strings > n {
		if err := m.budget.Charge(int64(p.strings-n) * stringBytes); err != nil {
			return err
		}
		m.strings = nil
		m.strings = make([]string, p.strings)
	}
	for len(m.slots) < p.slots {
		m.slots = append(m.slots, slot{})
	}
	return nil
}

// scratchFor returns n bytes that the current step can use.
func (m *requestMemory) scratchFor(n int) ([]byte, error) {
	if old := len(m.scratch); n > old {
		if err := m.budget.Charge(int64(n - old)); err != nil {
			return nil, err
		}
		m.scratch = nil
		m.scratch = ir.AlignedBytes(n)
	}
	return m.scratch[:n:n], nil
}

// slot is memory, which can grow, for a tensor whose size is known only at run time.
type slot struct {
	bytes   []byte
	strings []string
}

// short reports whether grow would allocate memory.
func (s *slot) short(t ir.ElementType, size int) bool {
	if t == ir.String {
		return size > len(s.strings)
	}
	return size > len(s.bytes)
}

// grow makes room for size bytes; for element type String, for size strings.
func (s *slot) grow(t ir.ElementType, size int, b *memory.Ledger) error {
	if t == ir.String {
		if old := len(s.strings); size > old {
			size = grown(size, old)
			if err := b.Charge(int64(size-old) * stringBytes); err != nil {
				return err
			}
			s.strings = nil
			s.strings = make([]string, size)
		}
		return nil
	}
	if old := len(s.bytes); size > old {
		size = grown(size, old)
		if err := b.Charge(int64(size - old)); err != nil {
			return err
		}
		s.bytes = nil
		s.bytes = ir.AlignedBytes(size)
	}
	return nil
}

// grown returns the size to allocate for n. It leaves room if the old size was not 0, so that a size
// that grows in small steps does not need an allocation in each.
func grown(n, old int) int {
	if old == 0 {
		return n
	}
	return n + n/8
}
