// Package control converts operators with graphs. An If whose condition is known is the graph of
// its branch, as exporters write one for ranks and shapes; the other branch is not even judged.
// Others are not supported yet.
package control

import (
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	return []convert.Rule{{
		Operator: "If", Versions: []int{1, 11, 13, 16, 19, 21, 23, 24, 25}, Inputs: infer.Arity{Min: 1, Max: 1},
		Outputs: infer.Arity{Min: 1, Max: -1}, Convert: ifNode,
	}}
}

// ifNode is one of two graphs.
func ifNode(n *convert.Node) []convert.Value {
	for _, branch := range []string{"then_branch", "else_branch"} {
		n.CheckGraph(branch, 0, n.Outputs())
	}
	condition, known := n.Ints(n.Input(0))
	switch {
	case !known:
		n.Unsupported("the condition is not known before the model runs")
		return nil
	case len(condition) != 1:
		n.Fail("the condition has %d elements, expected 1", len(condition))
		return nil
	case condition[0] != 0:
		return n.Inline("then_branch")
	}
	return n.Inline("else_branch")
}
