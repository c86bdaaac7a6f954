package regex

import (
	"slices"
	"sort"
	"unicode/utf8"
)

// span is a range of code points, both ends included.
type span struct{ lo, hi rune }

// set is a set of characters. The spans ascend and have gaps between them. bad says that a byte
// that is no part of UTF-8 is a member.
type set struct {
	spans []span
	bad   bool
}

// maxRune is the greatest code point.
const maxRune = utf8.MaxRune

func setOf(spans ...span) *set { return (&set{spans: spans}).normalize() }

// normalize sorts and joins the spans of s, and returns s.
func (s *set) normalize() *set {
	sorted := true
	for i := 1; i < len(s.spans); i++ {
		sorted = sorted && s.spans[i-1].hi+1 < s.spans[i].lo
	}
	if sorted {
		return s
	}
	sort.Slice(s.spans, func(i, j int) bool { return s.spans[i].lo < s.spans[j].lo })
	out := s.spans[:1]
	for _, next := range s.spans[1:] {
		if last := &out[len(out)-1]; next.lo <= last.hi+1 {
			last.hi = max(last.hi, next.hi)
		} else {
			out = append(out, next)
		}
	}
	s.spans = out
	return s
}

// add adds the members of other to s, which is to be normalized later.
func (s *set) add(other *set) {
	s.spans = append(s.spans, other.spans...)
	s.bad = s.bad || other.bad
}

// inverse returns the set of all code points that are not in s. bad says whether the other bytes
// are members.
//
// It is not inlined: the code of the command would be 6 KiB larger.
//
//go:noinline
func (s *set) inverse(bad bool) *set {
	out := &set{bad: bad, spans: make([]span, 0, len(s.spans)+1)}
	next := rune(0)
	for _, r := range s.spans {
		if next < r.lo {
			out.spans = append(out.spans, span{next, r.lo - 1})
		}
		next = r.hi + 1
	}
	if next <= maxRune {
		out.spans = append(out.spans, span{next, maxRune})
	}
	return out
}

// without returns the members of s that are not in other.
func (s *set) without(other *set) *set { return s.and(other.inverse(true)) }

// and returns the members that s and other share.
func (s *set) and(other *set) *set {
	out := &set{bad: s.bad && other.bad}
	for i, j := 0, 0; i < len(s.spans) && j < len(other.spans); {
		a, b := s.spans[i], other.spans[j]
		if lo, hi := max(a.lo, b.lo), min(a.hi, b.hi); lo <= hi {
			out.spans = append(out.spans, span{lo, hi})
		}
		if a.hi < b.hi {
			i++
		} else {
			j++
		}
	}
	return out
}

// has reports whether r is a member.
func (s *set) has(r rune) bool {
	i, found := slices.BinarySearchFunc(s.spans, r, func(at span, r rune) int {
		switch {
		case at.hi < r:
			return -1
		case at.lo > r:
			return 1
		}
		return 0
	})
	_ = i
	return found
}

// folded returns s with all characters that differ from a member only in case.
func (s *set) folded(ascii bool) *set {
	out := &set{bad: s.bad, spans: slices.Clone(s.spans)}
	for _, orbit := range orbits() {
		for _, r := range orbit {
			if !s.has(r) {
				continue
			}
			for _, other := range orbit {
				if !ascii || (r < utf8.RuneSelf) == (other < utf8.RuneSelf) {
					out.spans = append(out.spans, span{other, other})
				}
			}
		}
	}
	return out.normalize()
}

// equalSets reports whether a and b have the same members.
func equalSets(a, b *set) bool { return a.bad == b.bad && slices.Equal(a.spans, b.spans) }
