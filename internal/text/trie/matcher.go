package trie

import (
	"slices"

	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/limits"
)

// Matcher finds the longest keys at positions of a text, in a time that does not grow with the
// length of the keys. It is immutable.
type Matcher struct {
	*Trie
	backward *automaton // nil if no key is longer than shallow
}

// shallow is the length of keys up to which a Matcher walks along the keys at each position. Texts
// of no more bytes are walked in any case.
const shallow = 256

// IsLong reports whether it is faster not to walk along the keys of t at each position of a text of
// n bytes.
func (t *Trie) IsLong(n int) bool { return t.depth > shallow && n > shallow }

// automaton is that of Aho and Corasick. After each byte of a text, its state is the longest start
// of a key that the bytes before end with, so that it knows the longest key that ends there. A
// Matcher has one for reversed keys, which reads a text from its end: it knows the longest key that
// starts at a byte.
type automaton struct {
	trie    *Trie // its values are numbers of keys
	values  []int32
	lengths []int32
	shorter []int32 // by key, the longest other key that it ends with, -1 if there is none
	// fail has, for each node, the node of its longest end that is a node as well, and longest the
	// longest key that its bytes end with, -1 if there is none.
	fail, longest []int32
}

// NewMatcher returns the Matcher of keys, and takes them over. reserve is asked for the memory
// before it is allocated; nil means that there is no limit.
func NewMatcher(keys *Keys, reserve func(int64) error, stop parallel.Stop) (*Matcher, error) {
	trie, err := New(keys, reserve, stop)
	if err != nil || trie.depth <= shallow {
		return &Matcher{Trie: trie}, err
	}
	backward, err := newAutomaton(keys, true, &limits.Limits{Reserve: reserve, Stop: stop})
	return &Matcher{trie, backward}, err
}

// newAutomaton returns the automaton of the keys of a Trie that was made.
func newAutomaton(keys *Keys, reverse bool, l *limits.Limits) (*automaton, error) {
	n := len(keys.entries)
	if err := l.Ask(int64(keys.total) + int64(n)*(EntryBytes+12)); err != nil {
		return nil, err
	}
	a := &automaton{values: make([]int32, n), lengths: make([]int32, n), shorter: make([]int32, n)}
	list := NewKeys(n)
	for i, e := range keys.entries {
		a.values[i], a.lengths[i] = keys.values[e.index], e.length
		text := keys.texts[e.index]
		if reverse {
			text = slices.Clone(text)
			slices.Reverse(text)
		}
		list.Add(text, int32(i))
	}
	var err error
	if a.trie, err = New(list, l.Reserve, l.Stop); err != nil {
		return nil, err
	}
	cells := len(a.trie.cells)
	if err := l.Ask(memory.Size[int32](4, cells)); err != nil {
		return nil, err
	}
	a.fail, a.longest = make([]int32, cells), make([]int32, cells)
	return a, a.link(l.Stop)
}

// link sets fail and longest of all nodes, those nearer to the root first.
func (a *automaton) link(stop parallel.Stop) error {
	meter := stop.Meter()
	order := make([]int32, 1, len(a.fail))
	a.longest[0] = -1
	for head := 0; head < len(order); head++ {
		v := order[head]
		c := a.trie.cells[v]
		if c.owner&leaf != 0 {
			continue
		}
		for b := range 256 {
			child := a.child(v, byte(b))
			if child < 0 {
				continue
			}
			fail := int32(0)
			if v != 0 {
				fail = a.next(a.fail[v], byte(b))
			}
			a.fail[child], a.longest[child] = fail, a.longest[fail]
			if key := a.keyOf(child); key >= 0 {
				a.shorter[key], a.longest[child] = a.longest[fail], key
			}
			order = append(order, child)
		}
		if meter.Spent(512) {
			return parallel.ErrStopped
		}
	}
	return nil
}

// keyOf returns the key of a node, -1 if it is none.
func (a *automaton) keyOf(v int32) int32 {
	switch c := a.trie.cells[v]; {
	case c.owner&leaf != 0:
		return int32(c.base)
	case c.owner&valued != 0:
		return int32(a.trie.cells[c.base].base)
	}
	return -1
}

// child returns the child of node v for byte b, -1 if there is none.
func (a *automaton) child(v int32, b byte) int32 {
	c := a.trie.cells[v]
	at := c.base + 1 + uint32(b)
	if c.owner&leaf != 0 || uint64(at) >= uint64(len(a.trie.cells)) || a.trie.cells[at].owner&owners != uint32(v)+1 {
		return -1
	}
	return int32(at)
}

// next returns the state after state v and byte b.
func (a *automaton) next(v int32, b byte) int32 {
	for {
		if child := a.child(v, b); child >= 0 {
			return child
		}
		if v == 0 {
			return 0
		}
		v = a.fail[v]
	}
}

// Ends finds all keys that end at each position of a text. It is immutable.
type Ends struct{ automaton *automaton }

// NewEnds returns the Ends of the keys that a Trie was made of.
func NewEnds(keys *Keys, reserve func(int64) error, stop parallel.Stop) (*Ends, error) {
	a, err := newAutomaton(keys, false, &limits.Limits{Reserve: reserve, Stop: stop})
	return &Ends{a}, err
}

// Next returns the state after one more byte of a text, and the longest key that ends there, -1 if
// there is none. The state before the first byte is 0.
func (e *Ends) Next(state int32, b byte) (next, key int32) {
	next = e.automaton.next(state, b)
	return next, e.automaton.longest[next]
}

// Key returns the value and the length of a key, and the longest other key that it ends with, -1 if
// there is none.
func (e *Ends) Key(key int32) (value int32, length int, shorter int32) {
	return e.automaton.values[key], int(e.automaton.lengths[key]), e.automaton.shorter[key]
}

// Matches are the longest keys at all positions of a text, as far as a Matcher needs them.
type Matches struct {
	keys []int32 // by position; none if they are not needed
}

// Match prepares x for calls of LongestAt with text. It asks l for memory. The errors are that of
// l.Reserve and parallel.ErrStopped.
func (m *Matcher) Match(x *Matches, text []byte, l *limits.Limits) (err error) {
	x.keys = x.keys[:0]
	if m.backward == nil || len(text) <= shallow {
		return nil
	}
	if x.keys, err = limits.Grow(l, x.keys, len(text)); err != nil {
		return err
	}
	x.keys = x.keys[:len(text)]
	meter, state := l.Stop.Meter(), int32(0)
	for at := len(text) - 1; at >= 0; at-- {
		state = m.backward.next(state, text[at])
		if x.keys[at] = m.backward.longest[state]; meter.Spent(8) {
			return parallel.ErrStopped
		}
	}
	return nil
}

// LongestAt is Longest for text[at:], where x was prepared for text.
func (m *Matcher) LongestAt(x *Matches, text []byte, at int) (value int32, length int) {
	if len(x.keys) == 0 {
		return m.Longest(text[at:])
	}
	i := x.keys[at]
	if i < 0 {
		return 0, 0
	}
	return m.backward.values[i], int(m.backward.lengths[i])
}
