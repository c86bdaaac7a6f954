package treeensemble

import (
	"math"

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
	// comparisons has that of each node; it is nil if all are LessOrEqual. Less is LessOrEqual with
	// the next smaller number: see below.
	comparisons []uint8
	// ordered means that all comparisons are LessOrEqual but for NaN.
	ordered bool
	leaves  []int32 // pairs: see the package comment
	// single means that leaf i has weight i, and no other.
	single  bool
	depth   int // nodes of the longest way
	targets []int32
	weights []T
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
	f.ordered = true
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
		split := splits[i]
		if comparison&^treemode.OrMissing == treemode.Less {
			split, comparison = below(split), treemode.LessOrEqual|comparison&treemode.OrMissing
		}
		f.nodes[i] = node[T]{split, feature, row[2], row[3]}
		f.comparisons[i] = uint8(comparison)
		f.ordered = f.ordered && comparison&^treemode.OrMissing == treemode.LessOrEqual
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
	f.single = len(f.leaves) == leafWidth*len(f.weights)
	for i := range len(f.leaves) / leafWidth {
		if meter.Spent(2) {
			return parallel.ErrStopped
		}
		if first, n := int64(f.leaves[leafWidth*i]), int64(f.leaves[leafWidth*i+1]); first < 0 || n < 0 || first+n > int64(len(f.weights)) {
			return faults.Errorf("leaf %d has %d weights from %d on, of %d", i, n, first, len(f.weights))
		} else if first != int64(i) || n != 1 {
			f.single = false
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
	lengths := make([]int32, len(f.nodes)) // nodes of the longest way from each node on
	meter := p.Stop.Meter()
	for i := len(f.nodes) - 1; i >= 0; i-- {
		if meter.Spent(4) {
			return parallel.ErrStopped
		}
		for _, child := range [...]int32{f.nodes[i].first, f.nodes[i].second} {
			if child >= 0 {
				lengths[i] = max(lengths[i], lengths[child])
			}
		}
		lengths[i]++
		f.depth = max(f.depth, int(lengths[i]))
	}
	return nil
}

// walk sets leaves to those that rows of features, which are x, reach from a child on. It returns
// false if it has to stop. Four rows go at a time, since each of them waits for its next node.
func (f *forest[T]) walk(at int32, x []T, features int, leaves []int32, plain bool, meter *parallel.Meter) bool {
	i := 0
	for ; plain && i+4 <= len(leaves); i += 4 {
		if meter.Spent(8*f.depth + 4) {
			return false
		}
		four, rows := (*[4]int32)(leaves[i:]), x[i*features:][:4*features]
		*four = [4]int32{at, at, at, at}
		f.walkFour(four, rows[:features], rows[features:][:features], rows[2*features:][:features], rows[3*features:])
	}
	for ; i < len(leaves); i++ {
		if meter.Spent(2*f.depth + 1) {
			return false
		}
		row := x[i*features:][:features]
		if plain {
			leaves[i] = f.leaf(at, row)
		} else {
			leaves[i] = f.leafOf(at, row)
		}
	}
	return true
}

// isPlain reports whether rows of features reach the leaves that they reach if all comparisons are
// LessOrEqual.
func (f *forest[T]) isPlain(x []T) bool {
	if f.comparisons == nil {
		return true
	}
	if !f.ordered {
		return false
	}
	for _, v := range x {
		if v != v {
			return false
		}
	}
	return true
}

// walkFour sets four children to the leaves that rows reach from them on: see leaf.
func (f *forest[T]) walkFour(at *[4]int32, r0, r1, r2, r3 []T) {
	nodes := f.nodes
	a, b, c, d := at[0], at[1], at[2], at[3]
	for a >= 0 || b >= 0 || c >= 0 || d >= 0 {
		if a >= 0 {
			a = nodes[a].next(r0)
		}
		if b >= 0 {
			b = nodes[b].next(r1)
		}
		if c >= 0 {
			c = nodes[c].next(r2)
		}
		if d >= 0 {
			d = nodes[d].next(r3)
		}
	}
	*at = [4]int32{^a, ^b, ^c, ^d}
}

// leaf returns the leaf that a row of features reaches from a child on, if all comparisons are
// LessOrEqual.
func (f *forest[T]) leaf(at int32, row []T) int32 {
	for at >= 0 {
		at = f.nodes[at].next(row)
	}
	return ^at
}

// next returns the child that a row goes to if the comparison is LessOrEqual. It has no branch,
// which would be mispredicted as often as not.
func (n *node[T]) next(row []T) int32 {
	holds := int32(0)
	if row[n.feature] <= n.split {
		holds = 1
	}
	return n.second ^ (n.first^n.second)&-holds
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

// below returns the greatest number that is less than x, or NaN if there is none. Numbers that are
// nearer to 0 than normal ones count as 0: the processor takes them for it when the kernel runs,
// but not here, for which reason subnormal.Next does not do.
func below[T number](x T) T {
	down := math.Inf(-1)
	switch v := any(x).(type) {
	case float32:
		const normal = 0x1p-126
		switch {
		case v > -normal && v < normal:
			return T(-float32(normal))
		case v > float32(down):
			return T(math.Nextafter32(v, float32(down)))
		}
	case float64:
		const normal = 0x1p-1022
		switch {
		case v > -normal && v < normal:
			return T(-float64(normal))
		case v > down:
			return T(math.Nextafter(v, down))
		}
	}
	return T(math.NaN())
}

// holds reports whether the comparison of x with s, which is not Less, holds.
func holds[T number](comparison uint8, x, s T) bool {
	if comparison&treemode.OrMissing != 0 && x != x {
		return true
	}
	switch comparison &^ treemode.OrMissing {
	case treemode.LessOrEqual:
		return x <= s
	case treemode.GreaterOrEqual:
		return x >= s
	case treemode.Greater:
		return x > s
	case treemode.Equal:
		return x == s
	}
	return x != s
}
