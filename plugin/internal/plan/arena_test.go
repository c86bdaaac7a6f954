package plan

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/memory"
)

// TestArena takes and gives back ranges in random order. Ranges in use must not overlap. When all
// ranges are given back, one span is free.
func TestArena(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		a := arena{limit: 1 << 30, align: memory.Align}
		var used []span
		most, inUse := 0, 0
		for range 100 {
			if len(used) > 0 && rng.IntN(2) == 0 {
				i := rng.IntN(len(used))
				a.give(used[i].offset, used[i].size)
				inUse -= (used[i].size + memory.Align - 1) &^ (memory.Align - 1)
				used[i] = used[len(used)-1]
				used = used[:len(used)-1]
				continue
			}
			s := span{size: 1 + rng.IntN(1000)}
			best, bestFits := bestSpan(a.free.list(), a.padded(s.size))
			s.offset = a.take(s.size)
			if bestFits {
				require.Equal(t, best.offset, s.offset)
			}
			require.Zero(t, s.offset%memory.Align)
			require.LessOrEqual(t, s.offset+s.size, a.size)
			for _, other := range used {
				require.True(t, s.offset+s.size <= other.offset || other.offset+other.size <= s.offset, "%v and %v", s, other)
			}
			used = append(used, s)
			inUse += (s.size + memory.Align - 1) &^ (memory.Align - 1)
			most = max(most, inUse)
		}
		require.LessOrEqual(t, a.size, 2*most, "the arena reuses what was given back")
		for _, s := range used {
			a.give(s.offset, s.size)
		}
		require.Equal(t, []span{{0, a.size}}, a.free.list())
	}
}

// TestArena_limit has sizes at the limit, with and without a free span at the end.
func TestArena_limit(t *testing.T) {
	const limit = 10 * memory.Align
	newArena := func() *arena { return &arena{limit: limit, align: memory.Align} }
	a := newArena()
	assert.Zero(t, a.take(0))
	assert.Zero(t, a.size)
	assert.Zero(t, a.take(limit))
	assert.Equal(t, limit, a.size)
	assert.False(t, a.over)
	a.take(1)
	assert.True(t, a.over)

	a = newArena()
	a.take(limit + 1)
	assert.True(t, a.over)

	a = newArena()
	a.take(4 * memory.Align)
	last := a.take(memory.Align + 1)
	a.give(last, memory.Align+1)
	assert.Equal(t, last, a.take(limit-last), "it extends the free span")
	assert.Equal(t, limit, a.size)
	assert.False(t, a.over)
	a.give(last, limit-last)
	a.take(limit - last + 1)
	assert.True(t, a.over)

	for size := math.MaxInt - 2*memory.Align; size > 0; size++ { // until it overflows
		a = &arena{limit: math.MaxInt, align: memory.Align}
		a.give(a.take(memory.Align), memory.Align)
		if a.take(size); !a.over {
			assert.GreaterOrEqual(t, a.size, size)
		}
	}
}

// list returns the spans in their order.
func (t *spanTree) list() []span {
	var list []span
	var add func(n *spanNode)
	add = func(n *spanNode) {
		if n != nil {
			add(n.left)
			list = append(list, n.span)
			add(n.right)
		}
	}
	add(t.root)
	return list
}

// bestSpan returns the smallest of the spans that has at least n bytes, and of several the one with
// the lowest offset.
func bestSpan(list []span, n int) (best span, ok bool) {
	for _, s := range list {
		if s.size >= n && (!ok || s.size < best.size || s.size == best.size && s.offset < best.offset) {
			best, ok = s, true
		}
	}
	return best, ok
}

// TestSpanTree adds many spans in order of their size. The tree must not degenerate to a list.
func TestSpanTree(t *testing.T) {
	var tree spanTree
	const n = 30_000
	for i := range n {
		tree.add(span{offset: i * 64, size: i + 1})
	}
	var depth func(n *spanNode) int
	depth = func(n *spanNode) int {
		if n == nil {
			return 0
		}
		return 1 + max(depth(n.left), depth(n.right))
	}
	require.Less(t, depth(tree.root), 60)
	for i := 0; i < n; i += 2 {
		tree.remove(span{offset: i * 64, size: i + 1})
	}
	list := tree.list()
	require.Len(t, list, n/2)
	require.True(t, slices.IsSortedFunc(list, func(a, b span) int { return a.size - b.size }))
	s, ok := tree.atLeast(1001)
	require.True(t, ok)
	require.Equal(t, 1002, s.size)
	_, ok = tree.atLeast(n + 1)
	require.False(t, ok)
}
