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

// automaton is that of Aho and Corasick for reversed keys. It reads a text from its end. After each
// byte, its state is the longest start of a reversed key that the bytes before end with, so that it
// knows the longest key that starts at this byte.
type automaton struct {
	trie    *Trie
	values  []int32 // of the keys
	lengths []int32
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
	l := &limits.Limits{Reserve: reserve, Stop: stop}
	backward, err := newAutomaton(keys, l)
	return &Matcher{trie, backward}, err
}

func newAutomaton(keys *Keys, l *limits.Limits) (*automaton, error) {
	n := len(keys.entries)
	if err := l.Ask(int64(keys.total) + int64(n)*(EntryBytes+8)); err != nil {
		return nil, err
	}
	a := &automaton{values: make([]int32, n), lengths: make([]int32, n)}
	reversed := NewKeys(n)
	for i, e := range keys.entries {
		a.values[i], a.lengths[i] = keys.values[e.index], e.length
		text := slices.Clone(keys.texts[e.index])
		slices.Reverse(text)
		reversed.Add(text, int32(i))
	}
	var err error
	if a.trie, err = New(reversed, l.Reserve, l.Stop); err != nil {
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
			switch c := a.trie.cells[child]; {
			case c.owner&leaf != 0:
				a.longest[child] = int32(c.base)
			case c.owner&valued != 0:
				a.longest[child] = int32(a.trie.cells[c.base].base)
			}
			order = append(order, child)
		}
		if meter.Spent(512) {
			return parallel.ErrStopped
		}
	}
	return nil
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
