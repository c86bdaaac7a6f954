// Package control converts operators with graphs. An If whose condition is known is the graph of
// its branch, as exporters write one for ranks and shapes; the other branch is not even judged.
// Others are layers with bodies: If-8, and Loop-5 for Loop and Scan.
package control

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	many := infer.Arity{Min: 1, Max: -1}
	return []convert.Rule{
		{
			Operator: "If", Versions: []int{1, 11, 13, 16, 19, 21, 23, 24, 25}, Inputs: infer.Arity{Min: 1, Max: 1},
			Outputs: many, Convert: ifNode,
		},
		{Operator: "Loop", Versions: []int{1, 11, 13, 16, 19, 21, 23, 24, 25}, Inputs: infer.Arity{Max: -1}, Outputs: many, Convert: loopNode},
		{Operator: "Scan", Versions: []int{8}, Inputs: infer.Arity{Min: 0, Max: -1}, Outputs: many, Convert: scanBatches},
		{Operator: "Scan", Versions: []int{9, 11, 16, 19, 21, 23, 24, 25}, Inputs: many, Outputs: many, Convert: scanNode},
	}
}

// ifNode is one of two graphs.
func ifNode(n *convert.Node) []convert.Value {
	branches := []string{"then_branch", "else_branch"}
	for _, branch := range branches {
		n.CheckGraph(branch, 0, n.Outputs())
	}
	checkCondition(n, n.Input(0))
	condition, known := n.Ints(n.Input(0))
	switch {
	case n.Failed():
		return nil
	case !known:
		return eitherBranch(n, branches)
	case len(condition) != 1:
		n.Fail("the condition has %d elements, expected 1", len(condition))
		return nil
	case condition[0] != 0:
		return n.Inline("then_branch")
	}
	return n.Inline("else_branch")
}

// checkCondition makes it an error if a condition is not of booleans.
func checkCondition(n *convert.Node, condition convert.Value) {
	if t := n.Type(condition); t != ir.Boolean && t != ir.Dynamic {
		n.Fail("the condition is %v, expected boolean", t)
	}
}

// eitherBranch is an If-8, whose condition is not known before the model runs.
func eitherBranch(n *convert.Node, branches []string) []convert.Value {
	var bodies []*convert.Body
	var spoiled convert.Value
	outputs := 0
	for _, branch := range branches {
		body := n.NewBody()
		outputs = 0
		for i, v := range body.Graph(branch, n.Outputs(), n.Wants) {
			if v.Spoiled() {
				spoiled = v
			} else if n.Wants(i) {
				body.Result(ir.BodyPort{External: outputs}, v)
				outputs++
			}
		}
		bodies = append(bodies, body)
	}
	if spoiled.Spoiled() {
		return spoiled.Distribute(n.Outputs(), n.Wants)
	}
	return n.LayerWithBodies("If", 8, outputs, bodies, n.Input(0)).Distribute(n.Outputs(), n.Wants)
}
