package bpe

import (
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/limits"
)

// maxShort is the number of tokens up to which it is faster to look at all pairs for each merge.
const maxShort = 32

// pair is a token and its merge with the next one.
type pair struct {
	// order is the rank of the merge in the upper half, and in the lower one the number of pairs
	// that came up before. It is none if there is no merge.
	order  uint64
	id     int32
	merged int32 // the id of the result
}

const none = 1<<64 - 1

// mergeShort merges ids, at most maxShort, in place.
func (t *Tokenizer) mergeShort(ids []int32) []int32 {
	var all [maxShort]pair
	pairs := all[:len(ids)]
	for i, id := range ids {
		pairs[i].id, pairs[i].order = id, none
		if i > 0 {
			t.pairUp(pairs, i-1, i-1)
		}
	}
	for came := len(ids) - 1; ; came++ {
		at, best := 0, uint64(none)
		for i := range pairs {
			if order := pairs[i].order; order < best {
				at, best = i, order
			}
		}
		if best == none {
			break
		}
		pairs[at].id, pairs[at].order = pairs[at].merged, none
		pairs = pairs[:at+1+copy(pairs[at+1:], pairs[at+2:])]
		// Both new pairs came up at the same time. If their merges are equal as well, the left one
		// is first.
		if at > 0 {
			t.pairUp(pairs, at-1, came)
		}
		if at+1 < len(pairs) {
			t.pairUp(pairs, at, came)
		}
	}
	for i := range pairs {
		ids[i] = pairs[i].id
	}
	return ids[:len(pairs)]
}

// pairUp sets the merge of pair i, which came up after `came` others.
func (t *Tokenizer) pairUp(pairs []pair, i, came int) {
	p := &pairs[i]
	if m := t.merges.find(p.id, pairs[i+1].id); m.rank != 0 {
		p.order, p.merged = uint64(m.rank)<<32|uint64(came), m.id
	} else {
		p.order = none
	}
}

// long is the memory of mergeLong.
type long struct {
	tokens []token
	// lists has the tokens that can be merged, for each rank, in the order in which their pairs
	// came up.
	lists []list
	heap  []int32 // the ranks of lists, the lowest first
}

// token is a token between two others. Tokens are referred to by their index, -1 for none.
type token struct {
	id, before, after int32
	rank, merged      int32 // of the merge with the token after it; rank is -1 if there is none
	// previous and next are the neighbours in the list of the rank.
	previous, next int32
}

// list has 1 + the index of the first and last token. A list that is not in the heap is zero.
type list struct{ first, last int32 }

const empty = -1 // the first of a list without tokens that is in the heap

// mergeLong merges ids in place, in a time that hardly grows faster than their number: a pair is
// found by its rank, since there is a list for each rank, and so the lists of all pairs are in the
// order in which they came up.
func (t *Tokenizer) mergeLong(ids []int32, s *Scratch) ([]int32, error) {
	l := &s.long
	var err error
	if l.tokens, err = limits.Grow(&s.Limits, l.tokens[:0], len(ids)); err != nil {
		return nil, err
	}
	if len(l.lists) < t.merges.n {
		if err := s.Ask(sizeOf[list](t.merges.n - len(l.lists))); err != nil {
			return nil, err
		}
		l.lists = make([]list, t.merges.n)
	}
	meter := s.Stop.Meter()
	l.tokens, l.heap = l.tokens[:len(ids)], l.heap[:0]
	for i, id := range ids {
		l.tokens[i] = token{id: id, before: int32(i) - 1, after: int32(i) + 1, rank: -1}
	}
	l.tokens[len(ids)-1].after = -1
	for i := range ids {
		if err := l.pairUp(t, s, int32(i)); err != nil {
			return nil, err
		}
		if meter.Spent(32) {
			return nil, l.stopped()
		}
	}
	for len(l.heap) > 0 {
		if meter.Spent(64) {
			return nil, l.stopped()
		}
		first := l.lists[l.heap[0]].first
		if first == empty {
			l.lists[l.heap[0]] = list{}
			l.pop()
			continue
		}
		if err := l.merge(t, s, first-1); err != nil {
			return nil, err
		}
	}
	n := 0
	for i := int32(0); i >= 0; i = l.tokens[i].after { // the first token stays the first
		ids[n] = l.tokens[i].id
		n++
	}
	return ids[:n], nil
}

// stopped clears the lists, which are in no heap before the next word.
func (l *long) stopped() error {
	clear(l.lists)
	return parallel.ErrStopped
}

// merge merges token i with the one after it.
func (l *long) merge(t *Tokenizer, s *Scratch, i int32) error {
	tokens := l.tokens
	k := &tokens[i]
	j, before := k.after, k.before
	l.unlink(i)
	l.unlink(j)
	k.id, k.after = k.merged, tokens[j].after
	if k.after >= 0 {
		tokens[k.after].before = i
	}
	if before >= 0 {
		l.unlink(before)
		if err := l.pairUp(t, s, before); err != nil {
			return err
		}
	}
	return l.pairUp(t, s, i)
}

// unlink takes the pair of token i from its list.
func (l *long) unlink(i int32) {
	k := &l.tokens[i]
	if k.rank < 0 {
		return
	}
	of := &l.lists[k.rank]
	if k.previous >= 0 {
		l.tokens[k.previous].next = k.next
	} else {
		of.first = k.next + 1
	}
	if k.next >= 0 {
		l.tokens[k.next].previous = k.previous
	} else {
		of.last = k.previous + 1
	}
	if of.first == 0 {
		of.first = empty
	}
	k.rank = -1
}

// pairUp appends the pair of token i and the one after it to the list of their merge.
func (l *long) pairUp(t *Tokenizer, s *Scratch, i int32) error {
	k := &l.tokens[i]
	if k.after < 0 {
		return nil
	}
	m := t.merges.find(k.id, l.tokens[k.after].id)
	if m.rank == 0 {
		return nil
	}
	k.rank, k.merged, k.next = m.rank-1, m.id, -1
	of := &l.lists[k.rank]
	if of.first == 0 {
		if err := l.push(s, k.rank); err != nil {
			k.rank = -1
			return err
		}
	}
	if k.previous = of.last - 1; k.previous >= 0 {
		l.tokens[k.previous].next = i
	} else {
		of.first = i + 1
	}
	of.last = i + 1
	return nil
}

// push adds a rank to the heap.
func (l *long) push(s *Scratch, rank int32) error {
	if len(l.heap) == cap(l.heap) {
		var err error
		if l.heap, err = limits.Grow(&s.Limits, l.heap, len(l.heap)+1); err != nil {
			clear(l.lists)
			return err
		}
	}
	l.heap = append(l.heap, rank)
	for at := len(l.heap) - 1; at > 0; {
		parent := (at - 1) / 2
		if l.heap[parent] <= l.heap[at] {
			break
		}
		l.heap[parent], l.heap[at] = l.heap[at], l.heap[parent]
		at = parent
	}
	return nil
}

// pop removes the lowest rank from the heap.
func (l *long) pop() {
	n := len(l.heap) - 1
	l.heap[0], l.heap = l.heap[n], l.heap[:n]
	for at := 0; ; {
		child := 2*at + 1
		if child >= n {
			return
		}
		if child+1 < n && l.heap[child+1] < l.heap[child] {
			child++
		}
		if l.heap[at] <= l.heap[child] {
			return
		}
		l.heap[at], l.heap[child] = l.heap[child], l.heap[at]
		at = child
	}
}

func sizeOf[T any](n int) int64 { return memory.Size[T](n) }
