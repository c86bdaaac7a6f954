// Package trie finds the keys that a text starts with. A Trie is a double array: the child of a
// node for a byte is found with one addition and one comparison, in a cell of 8 bytes.
package trie

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
)

// Trie is a set of byte strings, each with a value. It is immutable. The zero value has no keys.
type Trie struct {
	cells []cell
	depth int
}

// cell is a node, or the value of a node that has children as well. The child of node v for byte b
// is the cell v.base + 1 + b if its owner is v, and the value of v is the base of the cell v.base.
type cell struct {
	// base is the cell of the value and one less than the cell of the child for byte 0. In a leaf
	// and in the cell of a value, it is the value.
	base uint32
	// owner is 1 + the cell of the parent, and leaf or valued. 0 is a free cell.
	owner uint32
}

const (
	leaf   = 1 << 31 // the node has a value and no children
	valued = 1 << 30 // the node has a value and children
	owners = valued - 1
)

// Node is a position in a Trie: what was read so far is the start of a key.
type Node struct{ base, owner uint32 }

// Root returns the node of the empty string, which is not a key.
func (t *Trie) Root() Node {
	if len(t.cells) == 0 {
		return Node{owner: owners} // no cell has this owner
	}
	return Node{t.cells[0].base, 1}
}

// Next returns the node for one more byte. ok is false if no key starts like this. If the bytes up
// to b are a key, found is true and value is its value. more is false if no longer key starts with
// them.
func (t *Trie) Next(n Node, b byte) (next Node, value int32, found, more, ok bool) {
	at := n.base + 1 + uint32(b)
	if uint64(at) >= uint64(len(t.cells)) {
		return Node{}, 0, false, false, false
	}
	c := t.cells[at]
	switch {
	case c.owner&owners != n.owner:
		return Node{}, 0, false, false, false
	case c.owner&leaf != 0:
		return Node{}, int32(c.base), true, false, true
	case c.owner&valued != 0:
		return Node{c.base, at + 1}, int32(t.cells[c.base].base), true, true, true
	}
	return Node{c.base, at + 1}, 0, false, true, true
}

// Longest returns the value and the length of the longest key that text starts with. The length is
// 0 if there is none.
func (t *Trie) Longest(text []byte) (value int32, length int) {
	cells := t.cells
	if len(cells) == 0 {
		return 0, 0
	}
	base, owner := cells[0].base, uint32(1)
	for i, b := range text {
		at := base + 1 + uint32(b)
		if uint64(at) >= uint64(len(cells)) {
			break
		}
		c := cells[at]
		if c.owner&owners != owner {
			break
		}
		if c.owner&leaf != 0 {
			return int32(c.base), i + 1
		}
		if c.owner&valued != 0 {
			value, length = int32(cells[c.base].base), i+1
		}
		base, owner = c.base, at+1
	}
	return value, length
}

// Depth returns the length of the longest key, which bounds the time of one Longest.
func (t *Trie) Depth() int { return t.depth }

// Bytes returns the memory of t.
func (t *Trie) Bytes() int64 { return int64(cap(t.cells)) * cellBytes }

const cellBytes = 8

// Keys are the keys of a Trie that is made. The zero value has none.
type Keys struct {
	entries []entry
	texts   [][]byte
	values  []int32
	total   int // bytes
	depth   int
}

// entry is a key without a pointer, which is fast to sort.
type entry struct {
	prefix uint64 // the first 8 bytes, to compare most keys by
	length int32
	index  int32 // of the text and the value
}

// EntryBytes is the memory of a key in Keys, and in the copy that sorts it.
const EntryBytes = 60

// maxBytes bounds the bytes of all keys: each byte can be a cell, and cells have 30 bits.
const maxBytes = 1 << 28

// NewKeys returns Keys with room for n keys.
func NewKeys(n int) *Keys {
	return &Keys{entries: make([]entry, 0, n), texts: make([][]byte, 0, n), values: make([]int32, 0, n)}
}

// Add adds a key. Keys refer to text until the Trie was made. An empty key is left out. Of equal
// keys, the last one counts.
//
// It is not inlined: the code of the command would be 13 KiB larger.
//
//go:noinline
func (k *Keys) Add(text []byte, value int32) {
	if k.total += len(text); len(text) == 0 || k.total > maxBytes {
		return
	}
	var prefix [8]byte
	copy(prefix[:], text)
	k.depth = max(k.depth, len(text))
	k.entries = append(k.entries, entry{binary.BigEndian.Uint64(prefix[:]), int32(len(text)), int32(len(k.texts))})
	k.texts, k.values = append(k.texts, text), append(k.values, value)
}

// compare orders keys as bytes.Compare does their texts, and equal ones as they were added.
func (k *Keys) compare(a, b entry) int {
	switch {
	case a.prefix < b.prefix:
		return -1
	case a.prefix > b.prefix:
		return 1
	}
	if a.length > prefixLen || b.length > prefixLen {
		if c := bytes.Compare(k.texts[a.index], k.texts[b.index]); c != 0 {
			return c
		}
	}
	// If the bytes of both fit the prefix, the shorter one has zeros where the other has NUL.
	if a.length != b.length {
		return int(a.length - b.length)
	}
	return int(a.index - b.index)
}

const prefixLen = 8

// equal reports whether two keys are equal.
func (k *Keys) equal(a, b entry) bool {
	return a.prefix == b.prefix && a.length == b.length && bytes.Equal(k.texts[a.index], k.texts[b.index])
}

// New returns the Trie of keys, and takes them over. reserve is asked for the memory before it is
// allocated; nil means that there is no limit.
func New(keys *Keys, reserve func(int64) error, stop parallel.Stop) (*Trie, error) {
	if keys.total > maxBytes {
		return nil, faults.Errorf("the keys have more than %d bytes", maxBytes)
	}
	if stop.Requested() {
		return nil, parallel.ErrStopped
	}
	keys.sort()
	kept := keys.entries[:0]
	for _, e := range keys.entries {
		if last := len(kept) - 1; last >= 0 && keys.equal(kept[last], e) {
			kept[last] = e
		} else {
			kept = append(kept, e)
		}
	}
	if keys.entries = kept; len(kept) == 0 {
		return new(Trie), nil
	}
	b := builder{meter: stop.Meter(), reserve: reserve}
	if err := b.layOut(keys); err != nil {
		return nil, err
	}
	if err := b.build(); err != nil {
		return nil, err
	}
	return &Trie{b.cells, keys.depth}, nil
}

// builder places nodes breadth first, so that the nodes near the root share few cache lines.
type builder struct {
	keys    []placed // sorted, different, not empty
	text    []byte   // of the keys, in that order
	cells   []cell
	meter   parallel.Meter
	reserve func(int64) error
	queue   []pending
	codes   []uint32 // of the children of a node: 0 for its value, 1 + byte for a node
	starts  []int32  // the first key of each child
	// free is a list of the free cells, doubly linked: while a cell is free, its base is the next
	// free cell, and owner is 0. before has the previous one.
	before []uint32
	first  uint32 // 0 is the root, which is never free, so it ends the list
	last   uint32
}

// placed is a key as the builder reads it: in the order of the keys, without a look elsewhere.
type placed struct {
	start, length int32 // in the text of the builder
	value         int32
}

// layOut sets the keys.
func (b *builder) layOut(keys *Keys) error {
	total := 0
	for _, e := range keys.entries {
		total += int(e.length)
	}
	if b.reserve != nil {
		if err := b.reserve(int64(total) + memory.Size[placed](len(keys.entries))); err != nil {
			return err
		}
	}
	b.text, b.keys = make([]byte, 0, total), make([]placed, 0, len(keys.entries))
	for _, e := range keys.entries {
		if b.meter.Spent(8) {
			return parallel.ErrStopped
		}
		b.keys = append(b.keys, placed{int32(len(b.text)), e.length, keys.values[e.index]})
		b.text = append(b.text, keys.texts[e.index]...)
	}
	return nil
}

// at returns the byte of a key at a position before its end.
func (b *builder) at(k placed, i int32) byte { return b.text[k.start+i] }

// pending is a node whose children have no cells yet: the keys lo to hi-1 share its text of length
// depth.
type pending struct {
	node   uint32
	depth  int32
	lo, hi int32
}

// attempts is the number of free cells that are tried before a node with several children is placed
// behind all cells.
const attempts = 24

func (b *builder) build() error {
	if err := b.extend(2 + math.MaxUint8 + 1); err != nil {
		return err
	}
	b.take(0, 1) // the owner of the root is never compared
	b.queue = append(b.queue, pending{hi: int32(len(b.keys))})
	for head := 0; head < len(b.queue); head++ {
		if b.meter.Spent(32) {
			return parallel.ErrStopped
		}
		if err := b.place(b.queue[head]); err != nil {
			return err
		}
		if head > 1<<16 && head > len(b.queue)/2 { // so that the queue is no longer than needed
			n := copy(b.queue, b.queue[head+1:])
			b.queue, head = b.queue[:n], -1
		}
	}
	end := len(b.cells)
	for end > 1 && b.cells[end-1].owner == 0 {
		end--
	}
	for i := range b.cells { // a link of the list is no base
		if b.cells[i].owner == 0 {
			b.cells[i].base = 0
		}
	}
	if b.cells = b.cells[:end]; cap(b.cells)-end > end/8 {
		b.cells = append(make([]cell, 0, end), b.cells...)
	}
	return nil
}

// place gives cells to the children of a node.
func (b *builder) place(p pending) error {
	for p.hi == p.lo+1 { // one key is left, which is longer
		if b.meter.Spent(16) {
			return parallel.ErrStopped
		}
		k := b.keys[p.lo]
		b.codes = append(b.codes[:0], 1+uint32(b.at(k, p.depth)))
		base, err := b.find()
		if err != nil {
			return err
		}
		at := base + b.codes[0]
		b.cells[p.node].base = base
		b.take(at, p.node+1)
		if p.node, p.depth = at, p.depth+1; p.depth == k.length {
			b.end(at, k)
			return nil
		}
	}
	codes, starts := b.codes[:0], b.starts[:0]
	for i := p.lo; i < p.hi; i++ {
		code := uint32(0)
		if k := b.keys[i]; k.length > p.depth {
			code = 1 + uint32(b.at(k, p.depth))
		}
		if n := len(codes); n == 0 || codes[n-1] != code {
			codes, starts = append(codes, code), append(starts, i)
		}
		if b.meter.Spent(4) {
			return parallel.ErrStopped
		}
	}
	b.codes, b.starts = codes, append(starts, p.hi)
	base, err := b.find()
	if err != nil {
		return err
	}
	b.cells[p.node].base = base
	if codes[0] == 0 {
		b.cells[p.node].owner |= valued
	}
	for i, code := range codes {
		at := base + code
		b.take(at, p.node+1)
		lo, hi := b.starts[i], b.starts[i+1]
		switch k := b.keys[lo]; {
		case code == 0:
			// Nothing reads the owner of a value, except whether the cell is free: a child has a
			// code above 0.
			b.cells[at].base = uint32(k.value)
		case hi == lo+1 && k.length == p.depth+1:
			b.end(at, k)
		default:
			b.queue = append(b.queue, pending{at, p.depth + 1, lo, hi})
		}
	}
	return nil
}

// end makes a cell the leaf at the end of a key.
func (b *builder) end(at uint32, k placed) {
	b.cells[at].base = uint32(k.value)
	b.cells[at].owner |= leaf
}

// find returns a base for which the cells of all codes are free.
func (b *builder) find() (uint32, error) {
	codes := b.codes
	at, tries := b.first, attempts
	for ; at != 0 && tries > 0; at, tries = b.cells[at].base, tries-1 {
		if at < codes[0] {
			continue
		}
		base, fits := at-codes[0], true
		for _, code := range codes[1:] {
			if i := int(base + code); i < len(b.cells) && b.cells[i].owner != 0 {
				fits = false
				break
			}
		}
		if fits {
			return base, b.extend(int(base + codes[len(codes)-1] + 1))
		}
	}
	if tries == 0 {
		// Few nodes fit the first cells of the list: they go to its end, so that not all later
		// nodes try them.
		b.rotate(attempts / 2)
	}
	base := uint32(max(len(b.cells)-int(codes[0]), 0))
	return base, b.extend(int(base + codes[len(codes)-1] + 1))
}

// rotate moves the first n cells of the list to its end.
func (b *builder) rotate(n int) {
	for range n {
		at := b.first
		next := b.cells[at].base
		if next == 0 {
			return
		}
		b.first, b.before[next] = next, 0
		b.cells[b.last].base, b.before[at] = at, b.last
		b.cells[at].base, b.last = 0, at
	}
}

// extend makes n cells, if there are fewer.
func (b *builder) extend(n int) error {
	have := len(b.cells)
	if n <= have {
		return nil
	}
	if n > cap(b.cells) {
		want := max(n, have+have/2, b.expected())
		if b.reserve != nil {
			if err := b.reserve(int64(want-cap(b.cells)) * (cellBytes + 4)); err != nil {
				return err
			}
		}
		b.cells = append(make([]cell, 0, want), b.cells...)
		b.before = append(make([]uint32, 0, want), b.before...)
	}
	b.cells, b.before = b.cells[:n], b.before[:n]
	for i := have; i < n; i++ {
		b.cells[i], b.before[i] = cell{}, 0
		if i == 0 {
			continue
		}
		if b.first == 0 {
			b.first = uint32(i)
		} else {
			b.cells[b.last].base, b.before[i] = uint32(i), b.last
		}
		b.last = uint32(i)
	}
	return nil
}

// expected is a number of cells that is enough for most vocabularies.
func (b *builder) expected() int {
	return 1<<10 + min(7*len(b.keys)/2, len(b.text))
}

// take gives cell at, which is free, to an owner.
func (b *builder) take(at, owner uint32) {
	if at != 0 {
		next, before := b.cells[at].base, b.before[at]
		if before != 0 {
			b.cells[before].base = next
		} else {
			b.first = next
		}
		if next != 0 {
			b.before[next] = before
		} else {
			b.last = before
		}
	}
	b.cells[at] = cell{owner: owner}
}
