package predictor

// nodeKey identifies a node: its tree, and its number there.
type nodeKey struct{ tree, node int64 }

// nodeIndex finds nodes by their keys. The nodes of most files stand tree by tree, in the order of
// their numbers from 0 on, so that a place is known without a look into a large map.
type nodeIndex struct {
	trees  map[int64]span  // of such trees
	others map[nodeKey]int // the places of all other nodes
	last   int64           // the tree that was found last, and where it is
	at     span
}

// span is the place of the first node of a tree, and how many follow in order.
type span struct{ start, n int }

// newNodeIndex returns an index of nodes with the given trees and numbers. If two have the same
// key, it returns that and false.
func newNodeIndex(trees, ids []int64) (x *nodeIndex, twice nodeKey, ok bool) {
	x = &nodeIndex{trees: make(map[int64]span), others: make(map[nodeKey]int)}
	for start := 0; start < len(ids); {
		tree, end := trees[start], start
		for end < len(ids) && trees[end] == tree && ids[end] == int64(end-start) {
			end++
		}
		if _, known := x.trees[tree]; !known {
			x.trees[tree] = span{start, end - start}
			start = end
		}
		for ; start < len(ids) && trees[start] == tree; start++ {
			key := nodeKey{tree, ids[start]}
			if _, found := x.find(key); found {
				return nil, key, false
			}
			x.others[key] = start
		}
	}
	return x, nodeKey{}, true
}

// find returns the place of a node.
func (x *nodeIndex) find(key nodeKey) (int, bool) {
	if x.at.n == 0 || x.last != key.tree {
		x.last, x.at = key.tree, x.trees[key.tree]
	}
	if key.node >= 0 && key.node < int64(x.at.n) {
		return x.at.start + int(key.node), true
	}
	place, ok := x.others[key]
	return place, ok
}
