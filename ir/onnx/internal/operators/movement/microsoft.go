package movement

import (
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// microsoftRules returns the rules of operators of com.microsoft.
func microsoftRules() []convert.Rule {
	return []convert.Rule{
		{Domain: "com.microsoft", Operator: "ExpandDims", Versions: []int{1}, Inputs: count(2), Outputs: count(1), Convert: expandDims},
		{Domain: "com.microsoft", Operator: "Pad", Versions: []int{1}, Inputs: between(2, 3), Outputs: count(1), Convert: padOfRows},
		{Domain: "com.microsoft", Operator: "SampleOp", Versions: []int{1}, Inputs: count(1), Outputs: count(1), Convert: sample},
	}
}

// expandDims is Unsqueeze of one axis.
func expandDims(n *convert.Node) []convert.Value {
	return []convert.Value{n.Layer("Unsqueeze", 1, nil, n.Input(0), n.Reshape(n.Input(1), n.IntValues(1), false))}
}

// sample is SampleOp, an example of an operator: its input.
func sample(n *convert.Node) []convert.Value { return []convert.Value{n.Input(0)} }

// padOfRows is Pad whose numbers can be a matrix of one row.
func padOfRows(n *convert.Node) []convert.Value {
	return padBy(n, n.Reshape(n.Input(1), n.IntValues(-1), false))
}
