package regex

import (
	stdbytes "bytes"
	"math/bits"
	"unicode/utf8"
)

// byteSet is a set of bytes.
type byteSet [4]uint64

func (s *byteSet) add(b byte) { s[b/64] |= 1 << (b % 64) }

// neededBytes returns bytes that are in each match of n.
func neededBytes(n *node) (s byteSet) {
	switch n.kind {
	case kindChar:
		if utf8.ValidRune(n.r) {
			for _, b := range utf8.AppendRune(nil, n.r) {
				s.add(b)
			}
		}
	case kindCat:
		for _, sub := range n.subs {
			for i, more := range neededBytes(sub) {
				s[i] |= more
			}
		}
	case kindAlt:
		for k, sub := range n.subs {
			for i, shared := range neededBytes(sub) {
				if k > 0 {
					shared &= s[i]
				}
				s[i] = shared
			}
		}
	case kindGroup, kindAtomic:
		return neededBytes(n.subs[0])
	case kindRepeat:
		if n.min > 0 {
			return neededBytes(n.subs[0])
		}
	}
	return s
}

// unneeded is that there is no byte that each match has.
const unneeded = -1

// needed returns a byte that each match of root has, unneeded if none is known.
func needed(root *node) int {
	for i, part := range neededBytes(root) {
		if part != 0 {
			return 64*i + bits.TrailingZeros64(part)
		}
	}
	return unneeded
}

// hopeless reports whether the byte that each match has is not in the text from position at on.
func (m *Matcher) hopeless(at int) bool {
	if m.program.needed == unneeded || at <= m.needed {
		return false
	}
	i := stdbytes.IndexByte(m.text[at:], byte(m.program.needed))
	m.needed = at + i
	return i < 0
}
