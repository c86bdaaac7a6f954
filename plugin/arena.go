package plugin

import (
	"slices"
)

// arena allocates ranges of one block of memory, and finds the size of the block.
type arena struct {
	size  int
	limit int64
	align int    // ranges start at multiples of it
	over  bool   // the size would exceed the limit
	free  []span // sorted by offset; no two are adjacent
}

// padded returns n rounded up to a multiple of align.
func (a *arena) padded(n int) int { return (n + a.align - 1) / a.align * a.align }

// span is a range of bytes.
type span struct{ offset, size int }

// take returns the offset of a free range of n bytes, in the smallest free span that is large enough
// or at the end.
func (a *arena) take(n int) int {
	if n == 0 || a.over {
		return 0
	}
	if int64(n) > a.limit {
		a.over = true
		return 0
	}
	n = a.padded(n)
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
	// Extend a free span at the end.
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
	n = a.padded(n)
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
