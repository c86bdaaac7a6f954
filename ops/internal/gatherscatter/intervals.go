package gatherscatter

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/ir"
)

// Intervals returns the bounds of the output for those of the elements of data.
func (g *Gather) Intervals(data []ir.Interval, indices []int64) []ir.Interval {
	out := make([]ir.Interval, g.Rows()*g.N)
	if len(out) > 0 {
		gatherRows(nil, g, intervals(g.N), cast.Memory(out), cast.Memory(data), indices, 0, g.Rows())
	}
	return out
}

// Intervals returns the bounds of the output for those of the elements of data, of which there must
// be some, and of updates. Every index must be in range.
func (s *Scatter) Intervals(data, updates []ir.Interval, indices []int64) []ir.Interval {
	s.Plan(0, 1, false)
	out := make([]ir.Interval, len(data))
	scatterItems(nil, s, intervals(s.N), cast.Memory(out), cast.Memory(data), cast.Memory(updates), indices, 0, s.Outer)
	return out
}

// intervals returns the mover for rows of n bounds.
func intervals(n int) mover[int64] { return mover[int64]{size: n * int(unsafe.Sizeof(ir.Interval{}))} }
