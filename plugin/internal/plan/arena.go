package plan

import "math"

// arena allocates ranges of one block of memory, and finds the size of the block.
type arena struct {
	size  int
	limit int64
	align int      // ranges start at multiples of it
	over  bool     // the size would exceed the limit
	free  spanTree // no two spans are adjacent
	// starts and ends have the free spans by their offset and by the offset of their end.
	starts, ends map[int]span
}

// padded returns n rounded up to a multiple of align.
func (a *arena) padded(n int) int { return (n + a.align - 1) / a.align * a.align }

// span is a range of bytes.
type span struct{ offset, size int }

// take returns the offset of a free range of n bytes, in the smallest free span that is large
// enough or at the end.
func (a *arena) take(n int) int {
	if n == 0 || a.over {
		return 0
	}
	if int64(n) > a.limit || n > math.MaxInt-a.align { // padded must not overflow
		a.over = true
		return 0
	}
	n = a.padded(n)
	if s, ok := a.free.atLeast(n); ok {
		a.remove(s)
		if s.size > n {
			a.add(span{s.offset + n, s.size - n})
		}
		return s.offset
	}
	offset := a.size
	// Extend a free span at the end.
	last, extends := a.ends[a.size]
	if extends {
		offset = last.offset
	}
	if int64(offset) > a.limit-int64(n) {
		a.over = true
		return 0
	}
	if extends {
		a.remove(last)
	}
	a.size = offset + n
	return offset
}

// give frees a range that take returned.
func (a *arena) give(offset, n int) {
	if n == 0 || a.over {
		return
	}
	s := span{offset, a.padded(n)}
	if next, ok := a.starts[s.offset+s.size]; ok {
		a.remove(next)
		s.size += next.size
	}
	if before, ok := a.ends[s.offset]; ok {
		a.remove(before)
		s = span{before.offset, before.size + s.size}
	}
	a.add(s)
}

func (a *arena) add(s span) {
	if a.starts == nil {
		a.starts, a.ends = map[int]span{}, map[int]span{}
	}
	a.free.add(s)
	a.starts[s.offset], a.ends[s.offset+s.size] = s, s
}

func (a *arena) remove(s span) {
	a.free.remove(s)
	delete(a.starts, s.offset)
	delete(a.ends, s.offset+s.size)
}

// spanTree is a set of spans, sorted by size and then by offset. It is a treap: a binary search
// tree in which each node has a greater priority than those below it. Priorities are scrambled
// offsets, so that the depth of the tree does not depend on the order of the calls.
type spanTree struct{ root *spanNode }

type spanNode struct {
	span
	priority    uint64
	left, right *spanNode
}

// less reports whether s comes before t.
func (s span) less(t span) bool {
	return s.size < t.size || s.size == t.size && s.offset < t.offset
}

// atLeast returns the first span of at least n bytes.
func (t *spanTree) atLeast(n int) (best span, ok bool) {
	for node := t.root; node != nil; {
		if node.size < n {
			node = node.right
			continue
		}
		best, ok = node.span, true
		node = node.left
	}
	return best, ok
}

func (t *spanTree) add(s span) {
	node := &spanNode{span: s, priority: scramble(uint64(s.offset))}
	at := &t.root
	for *at != nil && (*at).priority >= node.priority {
		at = (*at).child(s)
	}
	node.left, node.right = split(*at, s)
	*at = node
}

func (t *spanTree) remove(s span) {
	at := &t.root
	for (*at).span != s {
		at = (*at).child(s)
	}
	*at = merge((*at).left, (*at).right)
}

// child returns the link to the subtree that s belongs to. s must not be the span of n.
func (n *spanNode) child(s span) **spanNode {
	if s.less(n.span) {
		return &n.left
	}
	return &n.right
}

// split returns the trees of the spans of n that come before s and of those that come after it.
func split(n *spanNode, s span) (before, after *spanNode) {
	to := [2]**spanNode{&before, &after}
	for n != nil {
		if n.less(s) {
			*to[0] = n
			to[0], n = &n.right, n.right
		} else {
			*to[1] = n
			to[1], n = &n.left, n.left
		}
	}
	*to[0], *to[1] = nil, nil
	return before, after
}

// merge returns the tree of the spans of a and b. Those of a come before those of b.
func merge(a, b *spanNode) *spanNode {
	var root *spanNode
	at := &root
	for a != nil && b != nil {
		if a.priority >= b.priority {
			*at = a
			at, a = &a.right, a.right
		} else {
			*at = b
			at, b = &b.left, b.left
		}
	}
	if a == nil {
		a = b
	}
	*at = a
	return root
}

// scramble returns a number in which each bit depends on all bits of x, as in SplitMix64.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
