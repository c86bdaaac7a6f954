package predictor

import (
	"math"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/internal/treemode"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// modes are the names of versions 1 and 3 for the comparisons of package treemode.
var modes = []string{"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"}

// aggregates are in the order of the numbers that TreeEnsemble has for them.
var aggregates = []string{"AVERAGE", "SUM", "MIN", "MAX"}

// features returns the rows in the type in which they are compared: f64 if input 0 has it.
func features(n *convert.Node) convert.Value {
	if n.Type(n.Input(0)) == ir.F64 {
		return rows(n, ir.F64)
	}
	return rows(n, ir.F32)
}

// floats returns an attribute that is a list of floats or, since version 3, a tensor with
// "_as_tensor" after its name.
func floats(n *convert.Node, name string) []float64 {
	if t := n.Tensor(name + "_as_tensor"); t != nil {
		return numbersOf(n, t)
	}
	list := n.FloatList(name)
	values := make([]float64, len(list))
	for i, x := range list {
		values[i] = float64(x)
	}
	return values
}

// numbersOf returns the elements of an attribute.
func numbersOf(n *convert.Node, t *ir.Tensor) []float64 {
	if t == nil {
		return nil
	}
	if t.ElementType() == ir.String {
		n.Fail("an attribute with numbers is a tensor of strings")
		return nil
	}
	at := t.Values()
	values := make([]float64, t.Len())
	for i := range values {
		values[i] = at(i)
	}
	return values
}

// sameLength makes it an error if a list has not n elements.
func sameLength(n *convert.Node, name string, have, want int) {
	if have != want {
		n.Fail("attribute %s has %d elements, expected %d", name, have, want)
	}
}

// readForest reads the trees of versions 1 and 3. weights starts the names of the attributes with
// the weights: class or target.
func readForest(n *convert.Node, weights string) *forest {
	trees, ids := n.IntList("nodes_treeids"), n.IntList("nodes_nodeids")
	featureIDs, splits, names := n.IntList("nodes_featureids"), floats(n, "nodes_values"), n.TextList("nodes_modes")
	trueIDs, falseIDs := n.IntList("nodes_truenodeids"), n.IntList("nodes_falsenodeids")
	missing := n.IntList("nodes_missing_value_tracks_true")
	if len(missing) == 0 {
		missing = make([]int64, len(ids))
	}
	for name, have := range map[string]int{
		"nodes_treeids": len(trees), "nodes_featureids": len(featureIDs), "nodes_values": len(splits), "nodes_modes": len(names),
		"nodes_truenodeids": len(trueIDs), "nodes_falsenodeids": len(falseIDs), "nodes_missing_value_tracks_true": len(missing),
	} {
		sameLength(n, name, have, len(ids))
	}
	if n.Failed() {
		return nil
	}
	index, twice, ok := newNodeIndex(trees, ids)
	if !ok {
		n.Fail("tree %d has two nodes %d", twice.tree, twice.node)
		return nil
	}
	f := &forest{branches: make([]branch, 0, len(ids))}
	children := make([]int64, len(ids)) // what each node is as a child
	for i := range ids {
		if strings.EqualFold(names[i], "LEAF") {
			children[i] = int64(-1 - len(f.leaves))
			f.leaves = append(f.leaves, nil)
			continue
		}
		children[i] = int64(len(f.branches))
		comparison := int32(slices.Index(modes, names[i]))
		if comparison < 0 {
			n.Fail("nodes_modes[%d] is %.40q, expected LEAF or one of %q", i, names[i], modes)
			return nil
		}
		f.branches = append(f.branches, branch{feature: featureIDs[i], comparison: withMissing(comparison, missing[i]), splits: splits[i : i+1]})
	}
	inner := f.connect(n, index, children, trees, ids, trueIDs, falseIDs)
	f.root(n, inner, children, trees)
	f.weigh(n, index, children, weights)
	return f
}

// connect sets the children of the branches, and returns which nodes are children.
func (f *forest) connect(n *convert.Node, index *nodeIndex, children, trees, ids, trueIDs, falseIDs []int64) []bool {
	inner := make([]bool, len(trees))
	for i, at := range children {
		if at < 0 {
			continue
		}
		for side, id := range [...]int64{trueIDs[i], falseIDs[i]} {
			place, ok := index.find(nodeKey{trees[i], id})
			if !ok {
				n.Fail("tree %d has no node %d, a child of node %d", trees[i], id, ids[i])
				return inner
			}
			inner[place] = true
			if side == 0 {
				f.branches[at].first = children[place]
			} else {
				f.branches[at].second = children[place]
			}
		}
	}
	return inner
}

// root sets the roots: the nodes that are no children.
func (f *forest) root(n *convert.Node, inner []bool, children, trees []int64) {
	rooted, known := make(map[int64]bool), make(map[int64]bool)
	for i, tree := range trees {
		if i == 0 || tree != trees[i-1] {
			known[tree] = true
		}
		if inner[i] {
			continue
		}
		if rooted[tree] {
			n.Fail("tree %d has two nodes without a parent", tree)
			return
		}
		rooted[tree] = true
		f.roots = append(f.roots, children[i])
	}
	if len(rooted) < len(known) {
		n.Fail("%d trees have no root: each of their nodes is a child", len(known)-len(rooted))
	}
}

// weigh gives the leaves their weights. Those of other nodes mean nothing.
func (f *forest) weigh(n *convert.Node, index *nodeIndex, children []int64, prefix string) {
	trees, ids := n.IntList(prefix+"_treeids"), n.IntList(prefix+"_nodeids")
	targets, values := n.IntList(prefix+"_ids"), floats(n, prefix+"_weights")
	sameLength(n, prefix+"_treeids", len(trees), len(ids))
	sameLength(n, prefix+"_ids", len(targets), len(ids))
	sameLength(n, prefix+"_weights", len(values), len(ids))
	if n.Failed() {
		return
	}
	leaves := make([]int64, len(ids))    // that of each weight
	counts := make([]int, len(f.leaves)) // of the weights of each leaf
	for i, id := range ids {
		place, ok := index.find(nodeKey{trees[i], id})
		if !ok {
			n.Fail("%s_nodeids[%d] is node %d of tree %d, which is not there", prefix, i, id, trees[i])
			return
		}
		if leaves[i] = -1 - children[place]; leaves[i] >= 0 {
			counts[leaves[i]]++
		}
	}
	room := make([]weight, len(ids))
	for i, count := range counts {
		f.leaves[i], room = room[:0:count], room[count:]
	}
	for i, leaf := range leaves {
		if leaf >= 0 {
			f.leaves[leaf] = append(f.leaves[leaf], weight{targets[i], values[i]})
		}
	}
}

// treeRegressor gives an aggregate of the leaves' weights for each target.
func treeRegressor(n *convert.Node) []convert.Value {
	f := readForest(n, "target")
	targets, aggregate := columnsOf(n), n.Enum("aggregate_function", "SUM", aggregates...)
	transform := postTransform(n)
	if n.Failed() {
		return nil
	}
	sums, base := f.layer(n, features(n), targets, strings.ToLower(aggregate)), floats(n, "base_values")
	scores := plus(n, sums, "base_values", base, targets)
	if targets > 1 && len(base) > 0 && !n.Failed() {
		// As in ONNX Runtime, one of several targets that no leaf has a weight for is 0.
		scores = arithmetic.Select(n, sums.Output(1), scores, n.Like(scores, 0))
	}
	return []convert.Value{regression(n, n.Convert(scores, ir.F32), targets, transform)}
}

// columnsOf returns the number of targets.
func columnsOf(n *convert.Node) int {
	targets := n.Int("n_targets", 1)
	if targets < 1 || targets > math.MaxInt32 {
		n.Fail("attribute n_targets is %d", targets)
		return 1
	}
	return int(targets)
}

// treeClassifier gives the sum of the leaves' weights for each class. The label is that of the
// highest sum. Of two classes it is the second one if its sum is above a threshold; if there are
// only weights for the first, they are the sum of the second. All of that is as in ONNX Runtime;
// the specification says nothing.
func treeClassifier(n *convert.Node) []convert.Value {
	c := readClasses(n, "classlabels_strings", "classlabels_int64s")
	f := readForest(n, "class")
	transform, base := postTransform(n), floats(n, "base_values")
	if n.Failed() {
		return nil
	}
	columns := c.count()
	weighed, positive := f.weighed()
	one := columns == 2 && len(weighed) < 2
	threshold, first := 0.0, opposite
	if one && positive { // probabilities
		threshold, first = 0.5, rest
	}
	alone := one && !weighed[1] && len(base) < 2
	if alone {
		columns = 1
	}
	sums := f.layer(n, features(n), columns, "sum")
	if n.Failed() {
		return nil
	}
	reached := sums.Output(1)
	scores := n.Convert(plus(n, sums, "base_values", base, columns), ir.F32)
	switch {
	case alone:
		return []convert.Value{c.above(n, scores, threshold), pair(n, scores, transform, first)}
	case columns == 2:
		second := arithmetic.Select(n, n.Slice(reached, 1, 1, 2), n.Slice(scores, 1, 1, 2), n.Slice(scores, 1, 0, 1))
		return []convert.Value{c.above(n, second, threshold), transformed(n, scores, transform)}
	}
	taken := scores
	if len(base) == 0 { // else all classes count
		taken = arithmetic.Select(n, reached, scores, n.Like(scores, math.Inf(-1)))
	}
	return []convert.Value{c.best(n, taken), transformed(n, scores, transform)}
}

// weighed returns the classes that leaves have weights for, and whether no weight is below 0.
func (f *forest) weighed() (classes map[int64]bool, positive bool) {
	classes, positive = make(map[int64]bool), true
	for _, leaf := range f.leaves {
		for _, w := range leaf {
			classes[w.target] = true
			positive = positive && w.value >= 0
		}
	}
	return classes, positive
}

// treeEnsemble is the form of version 5: nodes and leaves have numbers of their own.
func treeEnsemble(n *convert.Node) []convert.Value {
	f := readEnsemble(n)
	targets, aggregate, transform := columnsOf(n), n.Int("aggregate_function", 1), n.Int("post_transform", 0)
	if aggregate < 0 || aggregate >= int64(len(aggregates)) {
		n.Fail("attribute aggregate_function is %d, expected 0 to %d", aggregate, len(aggregates)-1)
	}
	if transform < 0 || transform >= int64(len(transforms)) {
		n.Fail("attribute post_transform is %d, expected 0 to %d", transform, len(transforms)-1)
	}
	if n.Failed() {
		return nil
	}
	scores := f.layer(n, features(n), targets, strings.ToLower(aggregates[aggregate]))
	return []convert.Value{n.Convert(regression(n, scores, targets, transforms[transform]), n.Type(n.Input(0)))}
}

// readEnsemble reads the trees of version 5.
func readEnsemble(n *convert.Node) *forest {
	n.RequireAttribute("nodes_splits")
	n.RequireAttribute("nodes_modes")
	n.RequireAttribute("leaf_weights")
	featureIDs, splits, numbers := n.IntList("nodes_featureids"), numbersOf(n, n.Tensor("nodes_splits")), numbersOf(n, n.Tensor("nodes_modes"))
	first, second := n.IntList("nodes_truenodeids"), n.IntList("nodes_falsenodeids")
	firstLeaf, secondLeaf := n.IntList("nodes_trueleafs"), n.IntList("nodes_falseleafs")
	missing := n.IntList("nodes_missing_value_tracks_true")
	targets, values := n.IntList("leaf_targetids"), numbersOf(n, n.Tensor("leaf_weights"))
	if len(missing) == 0 {
		missing = make([]int64, len(featureIDs))
	}
	for name, have := range map[string]int{
		"nodes_splits": len(splits), "nodes_modes": len(numbers), "nodes_truenodeids": len(first), "nodes_falsenodeids": len(second),
		"nodes_trueleafs": len(firstLeaf), "nodes_falseleafs": len(secondLeaf), "nodes_missing_value_tracks_true": len(missing),
	} {
		sameLength(n, name, have, len(featureIDs))
	}
	sameLength(n, "leaf_targetids", len(targets), len(values))
	f := &forest{roots: n.IntList("tree_roots")}
	sets := splitSets(numbersOf(n, n.Tensor("membership_values")))
	for i := range featureIDs {
		if n.Failed() {
			return nil
		}
		b := branch{
			feature: featureIDs[i], splits: splits[i : i+1],
			first: childOf(n, first[i], firstLeaf[i], len(values)), second: childOf(n, second[i], secondLeaf[i], len(values)),
		}
		switch mode := numbers[i]; {
		case mode == treemode.Count && len(sets) == 0:
			n.Fail("membership_values has no set for node %d", i)
		case mode == treemode.Count:
			b.comparison, b.splits, sets = treemode.Equal, sets[0], sets[1:]
		case mode >= 0 && mode < treemode.Count:
			b.comparison = int32(mode)
		default:
			n.Fail("nodes_modes[%d] is %v, expected 0 to %d", i, mode, treemode.Count)
		}
		b.comparison = withMissing(b.comparison, missing[i])
		f.branches = append(f.branches, b)
	}
	for i, root := range f.roots {
		if root < 0 {
			n.Fail("tree_roots[%d] is %d", i, root)
		}
	}
	for i, value := range values {
		f.leaves = append(f.leaves, []weight{{targets[i], value}})
	}
	return f
}

// childOf returns a child: node at, or leaf at of a number of leaves if leaf is not 0.
func childOf(n *convert.Node, at, leaf int64, leaves int) int64 {
	if at < 0 || leaf != 0 && at >= int64(leaves) {
		n.Fail("a child is node or leaf %d", at)
		return 0
	}
	if leaf != 0 {
		return -1 - at
	}
	return at
}

// splitSets returns the sets of numbers, which NaN separates.
func splitSets(values []float64) [][]float64 {
	var sets [][]float64
	for start, i := 0, 0; i <= len(values); i++ {
		if i == len(values) || math.IsNaN(values[i]) {
			if i > start || i < len(values) {
				sets = append(sets, values[start:i])
			}
			start = i + 1
		}
	}
	return sets
}
