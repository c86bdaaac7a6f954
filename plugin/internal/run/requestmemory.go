package run

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin/internal/memory"
	"github.com/vinoir/vinoir/plugin/internal/plan"
)

// requestMemory is the memory that an execution computes in. All plans of the execution share it.
type requestMemory struct {
	budget *memory.Ledger

	Arena   []byte
	strings []string
	Slots   []slot
	Scratch []byte // for dynamic steps
}

// fits reports whether the arena and the strings are large enough for p.
func (m *requestMemory) fits(p *plan.Plan) bool {
	return p.Arena <= len(m.Arena) && p.Strings <= len(m.strings)
}

// hold makes the memory large enough for p. If it does not fit yet, nothing else may refer to the
// arena and the strings, which are allocated again.
func (m *requestMemory) hold(p *plan.Plan) error {
	if n := len(m.Arena); p.Arena > n {
		if err := m.budget.Charge(int64(p.Arena - n)); err != nil {
			return err
		}
		m.Arena = nil // it can be collected before the new one is allocated
		m.Arena = ir.AlignedBytes(p.Arena)
	}
	if n := len(m.strings); p.Strings > n {
		if err := m.budget.Charge(int64(p.Strings-n) * plan.StringBytes); err != nil {
			return err
		}
		m.strings = nil
		m.strings = make([]string, p.Strings)
	}
	for len(m.Slots) < p.Slots {
		m.Slots = append(m.Slots, slot{})
	}
	return nil
}

// scratchFor returns n bytes that the current step can use.
func (m *requestMemory) scratchFor(n int) ([]byte, error) {
	if old := len(m.Scratch); n > old {
		if err := m.budget.Charge(int64(n - old)); err != nil {
			return nil, err
		}
		m.Scratch = nil
		m.Scratch = ir.AlignedBytes(n)
	}
	return m.Scratch[:n:n], nil
}

// slot is memory, which can grow, for a tensor whose size is known only at run time.
type slot struct {
	Bytes   []byte
	strings []string
}

// short reports whether grow would allocate memory.
func (s *slot) short(t ir.ElementType, size int) bool {
	if t == ir.String {
		return size > len(s.strings)
	}
	return size > len(s.Bytes)
}

// grow makes room for size bytes; for element type String, for size strings.
func (s *slot) grow(t ir.ElementType, size int, b *memory.Ledger) error {
	if t == ir.String {
		if old := len(s.strings); size > old {
			size = grown(size, old)
			if err := b.Charge(int64(size-old) * plan.StringBytes); err != nil {
				return err
			}
			s.strings = nil
			s.strings = make([]string, size)
		}
		return nil
	}
	if old := len(s.Bytes); size > old {
		size = grown(size, old)
		if err := b.Charge(int64(size - old)); err != nil {
			return err
		}
		s.Bytes = nil
		s.Bytes = ir.AlignedBytes(size)
	}
	return nil
}

// grown returns the size to allocate for n. It leaves room if the old size was not 0, so that a
// size that grows in small steps does not need an allocation in each.
func grown(n, old int) int {
	if old == 0 {
		return n
	}
	return n + n/8
}
