// Package control converts operators with graphs. An If whose condition is known is the graph of
// its branch, as exporters write one for ranks and shapes; the other branch is not even judged.
// Others are layers with bodies: If-8, and Loop-5 for Loop and Scan.
package control

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	many := infer.Arity{Min: 1, Max: -1}
	return []convert.Rule{
		{
			Operator: "If", Versions: []int{1, 11, 13, 16, 19, 21, 23, 24, 25}, Inputs: infer.Arity{Min: 1, Max: 1},
			Outputs: many, AnyKind: true, Convert: ifNode,
		},
		{
			Operator: "Loop", Versions: []int{1, 11, 13, 16, 19, 21, 23, 24, 25}, Inputs: infer.Arity{Max: -1},
			Outputs: many, AnyKind: true, Convert: loopNode,
		},
		{Operator: "Scan", Versions: []int{8}, Inputs: infer.Arity{Min: 0, Max: -1}, Outputs: many, Convert: scanBatches},
		{Operator: "Scan", Versions: []int{9, 11, 16, 19, 21, 23, 24, 25}, Inputs: many, Outputs: many, Convert: scanNode},
		{Operator: "SequenceMap", Versions: []int{17}, Inputs: many, Outputs: many, AnyKind: true, Convert: sequenceMap},
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
	bodies := make([]*convert.Body, len(branches))
	results := make([][]convert.Value, len(branches))
	for b, branch := range branches {
		bodies[b] = n.NewBody()
		results[b] = bodies[b].Graph(branch, n.Outputs(), n.Wants)
	}
	for _, list := range results {
		for _, v := range list {
			if v.Spoiled() {
				return v.Distribute(n.Outputs(), n.Wants)
			}
		}
	}
	outputs := 0
	for i := range n.Outputs() {
		if !n.Wants(i) || n.Failed() {
			continue
		}
		then, otherwise := results[0][i], results[1][i]
		if !then.Matches(otherwise) {
			n.Fail("output %d is %v in then_branch, and %v in else_branch: a sequence whose length depends on data", i, then, otherwise)
			return nil
		}
		tensors := otherwise.Tensors()
		for k, v := range then.Tensors() {
			addResults(n, bodies, [2]convert.Value{v, tensors[k]}, outputs)
			outputs++
		}
	}
	return joinedOutputs(n, bodies, results[0], outputs)
}

// addResults adds what branches give for an output of the layer.
func addResults(n *convert.Node, bodies []*convert.Body, values [2]convert.Value, output int) {
	ranks := [2]int{bodies[0].Rank(values[0]), bodies[1].Rank(values[1])}
	for b, body := range bodies {
		if ranks[b] == 0 && ranks[1-b] == 1 {
			values[b] = withUnknownRank(body, values[b], n.Input(0), b)
		}
		body.Result(ir.BodyPort{External: output}, values[b])
	}
}

// joinedOutputs adds the layer, and returns its outputs in the form of those of a branch.
func joinedOutputs(n *convert.Node, bodies []*convert.Body, like []convert.Value, outputs int) []convert.Value {
	if outputs == 0 || n.Failed() {
		return like // of lists without tensors
	}
	layer := n.LayerWithBodies("If", 8, outputs, bodies, n.Input(0))
	values, next := make([]convert.Value, len(like)), 0
	for i, v := range like {
		if !n.Wants(i) || n.Failed() {
			continue
		}
		tensors := v.Tensors()
		for k := range tensors {
			tensors[k] = layer.Output(next)
			next++
		}
		values[i] = v.With(tensors)
	}
	return values
}

// withUnknownRank returns a scalar in a branch so that nothing knows its rank: an If-8 with a
// scalar and a vector as the values of an output makes both a vector. The scalar gets a shape of as
// many lengths as the condition says, which is none in this branch.
func withUnknownRank(body *convert.Body, scalar, condition convert.Value, branch int) convert.Value {
	taken := body.Reshape(body.Convert(body.Capture(condition), ir.I64), body.IntValues(1), false)
	if branch == 0 {
		taken = arithmetic.Subtract(body.Node, body.IntValues(1), taken)
	}
	shape := body.Layer("Slice", 8, nil, body.IntValues(1), body.IntValues(0), taken, body.IntValues(1))
	return body.Reshape(scalar, shape, false)
}
