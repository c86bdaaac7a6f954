package tfidfvectorizer

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
)

// table finds n-grams. They are paths in a tree whose edges have items.
type table[K comparable] struct {
	items map[K]int32    // numbers of the items of n-grams, from 0
	first []int32        // by item: the node that it leads to from the root
	edges map[edge]int32 // the nodes that items lead to from others
	grams []int32        // by node: 1 + the number of the n-gram that ends there, 0 for none
	count int            // of all n-grams, with those that are not looked for
}

// edge is a node and an item that follows it, in one number because a map finds those faster.
type edge uint64

func edgeOf(node, item int32) edge { return edge(node)<<32 | edge(item) }

// lookupCost is the cost of finding an item or an edge.
const lookupCost = 20

// noItem is the number of an item that no n-gram has; none is the node that no n-gram starts with.
const (
	noItem = -1
	none   = 0
)

// tableBytes is the size of a table for a pool of n items.
func tableBytes[K comparable](n int) int64 {
	return memory.Sum(memory.Size[K](2*n), memory.Size[int64](6*n))
}

// newTable returns the table of the n-grams of a pool.
func newTable[K comparable](pool []K, a *attributes, stop parallel.Stop) (*table[K], error) {
	if len(pool) >= math.MaxInt32 {
		return nil, faults.Errorf("pool has %d items", len(pool))
	}
	t := &table[K]{items: make(map[K]int32), edges: make(map[edge]int32), grams: make([]int32, 1)}
	meter := stop.Meter()
	for i, start := range a.starts {
		n, end := i+1, int64(len(pool))
		if i+1 < len(a.starts) {
			end = a.starts[i+1]
		}
		if start < 0 || start > end || end > int64(len(pool)) || (end-start)%int64(n) != 0 {
			return nil, faults.Errorf("the n-grams of %d items are items %d to %d of pool, which has %d", n, start, end, len(pool))
		}
		if n < a.shortest || n > a.longest {
			t.count += int(end-start) / n
			continue
		}
		for at := int(start); at < int(end); at += n {
			if meter.Spent(3 * lookupCost * n) {
				return nil, parallel.ErrStopped
			}
			if !t.add(pool[at : at+n]) {
				return nil, faults.Errorf("the n-gram of %d items from item %d of pool on is there twice", n, at)
			}
		}
	}
	return t, nil
}

// add adds an n-gram, and reports whether it is new.
func (t *table[K]) add(gram []K) bool {
	node := int32(none)
	for i, key := range gram {
		item, ok := t.items[key]
		if !ok {
			item = int32(len(t.items))
			t.items[key] = item
			t.first = append(t.first, none)
		}
		if i == 0 {
			if t.first[item] == none {
				t.first[item] = t.newNode()
			}
			node = t.first[item]
			continue
		}
		next, ok := t.edges[edgeOf(node, item)]
		if !ok {
			next = t.newNode()
			t.edges[edgeOf(node, item)] = next
		}
		node = next
	}
	t.count++
	if t.grams[node] != 0 {
		return false
	}
	t.grams[node] = int32(t.count)
	return true
}

func (t *table[K]) newNode() int32 {
	t.grams = append(t.grams, 0)
	return int32(len(t.grams) - 1)
}

// find sets numbers to those of items.
func (t *table[K]) find(numbers []int32, items []K) {
	for i, key := range items {
		number, ok := t.items[key]
		if !ok {
			number = noItem
		}
		numbers[i] = number
	}
}
