// Package treeensemble computes TreeEnsemble: what decision trees say about each row of features.
//
//	output[n, t] = aggregate of the weights for target t in the leaves that row n of data reaches
//
// A row starts at the root of each tree. At a node, it goes on to the first child if the comparison
// of a feature with a number holds, or else to the second one. A target that no leaf of the row has
// a weight for is 0.
//
// Versions: the namespace vinoir. Models that are read from ONNX files have the layer, since none
// of OpenVINO's says it.
//
// Inputs: data [rows, features], f32 or f64. The others are constants that describe the trees:
//
//	roots    i32 [trees]       the child that each tree starts with
//	nodes    i32 [nodes, 4]    feature, comparison, first child, second child
//	splits   [nodes], of the type of data: what the feature is compared with
//	leaves   i32 [leaves, 2]   for each leaf, its first weight and the number of its weights
//	targets  i32 [weights]     the column of the output that each weight counts for
//	weights  [weights], of the type of data
//
// A child c of 0 or more is node c, which must come after its parent; a child below 0 is the leaf
// -1-c. Nodes can be shared: what there must not be is a way that has no end. A comparison is 0 for
// <=, 1 for <, 2 for >=, 3 for >, 4 for =, and 5 for !=, plus 8 if NaN goes to the first child
// whatever the comparison.
//
// Outputs: the aggregates, of the type of data, [rows, columns]; and which of them have a weight,
// boolean, [rows, columns].
//
// Attributes: columns, required; aggregate, "sum" by default, "average" (the sum over the number of
// trees), "min" or "max".
//
// Errors: trees that are not as described, which Prepare finds.
//
// Specification: TreeEnsemble of the domain ai.onnx.ml has the same meaning.
package treeensemble

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "TreeEnsemble", Namespace: "vinoir",
	Inputs:     ops.Exactly(7),
	Attributes: parse,
	Values:     []int{roots, nodes, splits, leaves, targets, weights},
	Infer:      infer,
	Types:      []ir.ElementType{ir.F32, ir.F64},
	Prepare:    prepare,
}}

// The inputs.
const (
	data = iota
	roots
	nodes
	splits
	leaves
	targets
	weights
)

type attributes struct {
	aggregate string
	columns   int
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("columns")
	columns := a.Int("columns", 1)
	if columns < 1 || columns > math.MaxInt32 {
		a.Fail("columns", "%d, expected 1 to %d", columns, math.MaxInt32)
		columns = 1
	}
	return attributes{a.Enum("aggregate", sum, sum, average, lowest, highest), int(columns)}, a.Err()
}

// The members of the attribute aggregate.
const (
	sum     = "sum"
	average = "average"
	lowest  = "min"
	highest = "max"
)
