package predictor

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/treemode"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// forest has trees as nodes and leaves. A child of 0 or more is a branch, one below 0 is the leaf
// -1-child.
type forest struct {
	roots    []int64
	branches []branch
	leaves   [][]weight
}

// branch is a node that compares a feature with a number.
type branch struct {
	feature    int64
	comparison int32     // one of package treemode
	splits     []float64 // one number, or the members of a set, for which comparison is Equal
	first      int64     // the child if the comparison holds
	second     int64
}

// weight is what a leaf says about a target.
type weight struct {
	target int64
	value  float64
}

// layer adds the layer that computes the trees for rows x, with a number of columns. Its second
// output says which of them have a weight.
func (f *forest) layer(n *convert.Node, x convert.Value, columns int, aggregate string) convert.Value {
	p := &planting{forest: f, places: make([]int32, len(f.branches))}
	p.nodes, p.splits = make([]int32, 0, nodeWidth*len(f.branches)), make([]float64, 0, len(f.branches))
	roots := make([]int32, len(f.roots))
	for i, root := range f.roots {
		if roots[i] = p.plant(n, root); n.Failed() {
			return convert.Value{}
		}
	}
	if at := slices.Index(p.places, 0); at >= 0 {
		n.Fail("no root leads to node %d", at)
		return convert.Value{}
	}
	leaves := make([]int32, 0, 2*len(f.leaves))
	targets, weights := make([]int32, 0, len(f.leaves)), make([]float64, 0, len(f.leaves))
	for _, leaf := range f.leaves {
		leaves = append(leaves, int32(len(weights)), int32(len(leaf)))
		for _, w := range leaf {
			if w.target < 0 || w.target >= int64(columns) {
				n.Fail("a weight is for target %d of %d", w.target, columns)
				return convert.Value{}
			}
			targets, weights = append(targets, int32(w.target)), append(weights, w.value)
		}
	}
	t := n.Type(x)
	return n.Own("TreeEnsemble", convert.Attributes("columns", columns, "aggregate", aggregate), x,
		n.ValueOf(roots), n.ValueOf(p.nodes, len(p.nodes)/nodeWidth, nodeWidth), numbers(n, t, p.splits),
		n.ValueOf(leaves, len(f.leaves), 2), n.ValueOf(targets), numbers(n, t, weights))
}

// nodeWidth is the number of elements for a node of the layer.
const nodeWidth = 4

// numbers adds a Constant of f32 or f64.
func numbers(n *convert.Node, t ir.ElementType, values []float64) convert.Value {
	if t == ir.F64 {
		return n.ValueOf(values)
	}
	rounded := make([]float32, len(values))
	for i, v := range values {
		rounded[i] = float32(v)
	}
	return n.ValueOf(rounded)
}

// planting are the nodes of a forest in an order in which children come after their parents.
type planting struct {
	*forest
	nodes  []int32
	splits []float64
	// places has the place of each branch, plus 1; 0 if it has none yet.
	places []int32
}

// plant gives a root, and all that is below it, their places, and returns that of the root.
func (p *planting) plant(n *convert.Node, root int64) int32 {
	if root < 0 {
		return int32(root)
	}
	first := int32(len(p.nodes) / nodeWidth)
	p.add(n, root)
	open := []int64{root} // branches with a place, whose children have none
	for len(open) > 0 && !n.Failed() {
		b := &p.branches[open[len(open)-1]]
		at := int(p.places[open[len(open)-1]] - 1)
		open = open[:len(open)-1]
		last := at + max(len(b.splits), 1) - 1
		for side, child := range [...]int64{b.first, b.second} {
			to := int32(child)
			if child >= 0 {
				if p.add(n, child); n.Failed() {
					break
				}
				open, to = append(open, child), p.places[child]-1
			}
			if side == 1 {
				p.nodes[nodeWidth*last+3] = to
				break
			}
			for i := at; i <= last; i++ {
				p.nodes[nodeWidth*i+2] = to
			}
		}
	}
	return first
}

// add gives a branch its place, without its children. A set of several members is as many nodes,
// each of which goes on to the next one if the feature is not its member.
func (p *planting) add(n *convert.Node, at int64) {
	switch {
	case at >= int64(len(p.branches)):
		n.Fail("a child is node %d of %d", at, len(p.branches))
		return
	case p.places[at] != 0:
		n.Fail("node %d has two parents", at)
		return
	}
	b, splits := &p.branches[at], p.branches[at].splits
	if len(splits) == 0 {
		splits = []float64{math.NaN()} // nothing is a member of an empty set
	}
	place := len(p.nodes) / nodeWidth
	if b.feature < 0 || b.feature > math.MaxInt32 {
		n.Fail("node %d compares feature %d", at, b.feature)
	} else if place+len(splits) >= math.MaxInt32 {
		n.Fail("the trees have more than %d nodes", math.MaxInt32)
	}
	p.places[at] = int32(place) + 1
	for i := range splits {
		p.nodes = append(p.nodes, int32(b.feature), b.comparison, 0, int32(place+i+1))
	}
	p.splits = append(p.splits, splits...)
}

// withMissing returns a comparison, after which NaN goes to the first child if missing is not 0.
func withMissing(comparison int32, missing int64) int32 {
	if missing != 0 {
		comparison |= treemode.OrMissing
	}
	return comparison
}
