package treeensemble

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/treemode"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

type number interface{ float32 | float64 }

// node is a node of a forest, small so that many are in a cache line.
type node[T number] struct {
	split   T
	feature int32
	first   int32 // the child if the comparison holds
	second  int32
}

// forest has trees that were checked: all children, features and columns exist, and every way
// through the nodes ends in a leaf.
type forest[T number] struct {
	roots []int32
	nodes []node[T]
	// comparisons has that of each node; it is nil if all are LessOrEqual.
	comparisons []uint8
	leaves      []int32 // pairs: see the package comment
	depth       int     // nodes of the longest way
	targets     []int32
	weights     []T
}

// newForest checks the trees in the inputs of p, for rows of the given number of features, and
// returns them in the form in which rows go through them fast.
func newForest[T number](p *ops.Preparation, features, columns int) (*forest[T], error) {
	table, splits := values[int32](p, nodes), values[T](p, splits)
	n := len(table) / nodeWidth
	if len(splits) != n {
		return nil, faults.Errorf("splits has %d elements, nodes has %d", len(splits), n)
	}
	f := &forest[T]{roots: values[int32](p, roots), leaves: values[int32](p, leaves), targets: values[int32](p, targets), weights: values[T](p, weights)}
	if err := p.Reserve(memory.Sum(memory.Size[node[T]](n), int64(n))); err != nil {
		return nil, err
	}
	f.nodes, f.comparisons = make([]node[T], n), make([]uint8, n)
	same := true
	meter := p.Stop.Meter()
	for i := range f.nodes {
		if meter.Spent(8) {
			return nil, parallel.ErrStopped
		}
		row := table[i*nodeWidth:][:nodeWidth]
		feature, comparison := row[0], row[1]
		if feature < 0 || int(feature) >= features {
			return nil, faults.Errorf("node %d compares feature %d of %d", i, feature, features)
		}
		if comparison < 0 || comparison&^treemode.OrMissing >= treemode.Count {
			return nil, faults.Errorf("node %d has comparison %d, which is not one", i, comparison)
		}
		for _, child := range row[2:] {
			if err := f.checkChild(child, i); err != nil {
				return nil, faults.Errorf("node %d: %w", i, err)
			}
		}
		f.nodes[i] = node[T]{splits[i], feature, row[2], row[3]}
		f.comparisons[i] = uint8(comparison)
		same = same && comparison == treemode.LessOrEqual
	}
	if same {
		f.comparisons = nil
	}
	for i, root := range f.roots {
		if meter.Spent(2) {
			return nil, parallel.ErrStopped
		}
		if err := f.checkChild(root, -1); err != nil {
			return nil, faults.Errorf("root %d: %w", i, err)
		}
	}
	if err := f.checkLeaves(&meter, columns); err != nil {
		return nil, err
	}
	return f, f.measure(p)
}

// values returns the elements of an input.
func values[T ir.Element](p *ops.Preparation, i int) []T { return ir.Data[T](p.Inputs[i].Tensor) }

// checkChild returns an error unless there is such a child, behind its parent.
func (f *forest[T]) checkChild(child int32, parent int) error {
	switch {
	case child < 0 && int(^child) >= len(f.leaves)/leafWidth:
		return faults.Errorf("child %d is leaf %d of %d", child, ^child, len(f.leaves)/leafWidth)
	case int(child) >= len(f.nodes):
		return faults.Errorf("child %d is a node of %d", child, len(f.nodes))
	case child >= 0 && int(child) <= parent:
		return faults.Errorf("child %d does not come after it", child)
	}
	return nil
}

// checkLeaves checks the leaves and their weights, for an output of a number of columns.
func (f *forest[T]) checkLeaves(meter *parallel.Meter, columns int) error {
	if len(f.targets) != len(f.weights) {
		return faults.Errorf("targets has %d elements, weights has %d", len(f.targets), len(f.weights))
	}
	for i := range len(f.leaves) / leafWidth {
		if meter.Spent(2) {
			return parallel.ErrStopped
		}
		if first, n := int64(f.leaves[leafWidth*i]), int64(f.leaves[leafWidth*i+1]); first < 0 || n < 0 || first+n > int64(len(f.weights)) {
			return faults.Errorf("leaf %d has %d weights from %d on, of %d", i, n, first, len(f.weights))
		}
	}
	for i, target := range f.targets {
		if meter.Spent(1) {
			return parallel.ErrStopped
		}
		if target < 0 || int(target) >= columns {
			return faults.Errorf("weight %d is for target %d of %d", i, target, columns)
		}
	}
	return nil
}

// measure sets depth. Children come after their parents, so that going backwards meets them first.
func (f *forest[T]) measure(p *ops.Preparation) error {
	release, err := p.Borrow(memory.Size[int32](len(f.nodes)))
	if err != nil {
		return err
	}
	defer release()
	below := make([]int32, len(f.nodes)) // nodes of the longest way from each node on
	meter := p.Stop.Meter()
	for i := len(f.nodes) - 1; i >= 0; i-- {
		if meter.Spent(4) {
			return parallel.ErrStopped
		}
		for _, child := range [...]int32{f.nodes[i].first, f.nodes[i].second} {
			if child >= 0 {
				below[i] = max(below[i], below[child])
			}
		}
		below[i]++
		f.depth = max(f.depth, int(below[i]))
	}
	return nil
}

// leaf returns the leaf that a row of features reaches from a child on.
func (f *forest[T]) leaf(at int32, row []T) int32 {
	if f.comparisons != nil {
		return f.leafOf(at, row)
	}
	for at >= 0 {
		n := &f.nodes[at]
		if at = n.second; row[n.feature] <= n.split {
			at = n.first
		}
	}
	return ^at
}

// leafOf is leaf for nodes with several comparisons.
func (f *forest[T]) leafOf(at int32, row []T) int32 {
	for at >= 0 {
		n, comparison := &f.nodes[at], f.comparisons[at]
		if at = n.second; holds(comparison, row[n.feature], n.split) {
			at = n.first
		}
	}
	return ^at
}

// holds reports whether the comparison of x with s holds.
func holds[T number](comparison uint8, x, s T) bool {
	if comparison&treemode.OrMissing != 0 && x != x {
		return true
	}
	switch comparison &^ treemode.OrMissing {
	case treemode.LessOrEqual:
		return x <= s
	case treemode.Less:
		return x < s
	case treemode.GreaterOrEqual:
		return x >= s
	case treemode.Greater:
		return x > s
	case treemode.Equal:
		return x == s
	}
	return x != s
}
