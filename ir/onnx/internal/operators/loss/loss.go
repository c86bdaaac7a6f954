// Package loss converts NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss, which say how far
// scores of classes are from the right ones.
package loss

import (
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	inputs, one, upTo2 := infer.Arity{Min: 2, Max: 3}, infer.Arity{Min: 1, Max: 1}, infer.Arity{Min: 1, Max: 2}
	return []convert.Rule{
		{Operator: "NegativeLogLikelihoodLoss", Versions: []int{12, 13, 22}, Inputs: inputs, Outputs: one, Convert: negativeLogLikelihood},
		{Operator: "SoftmaxCrossEntropyLoss", Versions: []int{12, 13}, Inputs: inputs, Outputs: upTo2, Convert: softmaxCrossEntropy},
	}
}

// negativeLogLikelihood is for logarithms of probabilities.
func negativeLogLikelihood(n *convert.Node) []convert.Value {
	return []convert.Value{of(n, n.Input(0))}
}

// softmaxCrossEntropy makes logarithms of probabilities of scores, which are the second output.
func softmaxCrossEntropy(n *convert.Node) []convert.Value {
	logs := n.Layer("LogSoftmax", 5, convert.Attributes("axis", 1), n.Input(0))
	return []convert.Value{of(n, logs), logs}
}

// of returns the loss for logs [batch, classes, ...] and the numbers of the right classes, [batch,
// ...]: minus the elements of logs at them, times the weights of the classes, and reduced.
func of(n *convert.Node, logs convert.Value) convert.Value {
	targets := n.Input(1)
	kind := n.Enum("reduction", "mean", "none", "sum", "mean")
	// An ignored target need not be a class. It stands for class 0, with a loss and weight of 0.
	var ignored convert.Value
	hasIgnored := n.HasAttribute("ignore_index")
	if hasIgnored {
		ignored = n.Layer("Equal", 1, nil, targets, n.Like(targets, float64(n.Int("ignore_index", 0))))
		targets = arithmetic.Select(n, ignored, n.Like(targets, 0), targets)
	}
	without := func(v convert.Value) convert.Value {
		if !hasIgnored {
			return v
		}
		return arithmetic.Select(n, ignored, n.Like(v, 0), v)
	}
	picked := n.Layer("GatherElements", 6, convert.Attributes("axis", 1), logs, n.Unsqueeze(targets, 1))
	losses := n.Layer("Negative", 1, nil, n.Squeeze(picked, 1))
	var weights convert.Value
	if n.Has(2) {
		weights = arithmetic.Gather(n, n.Input(2), targets, 0)
		losses = arithmetic.Multiply(n, losses, weights)
	} else if hasIgnored {
		weights = arithmetic.Broadcast(n, n.Like(logs, 1), n.ShapeOf(targets))
	}
	losses = without(losses)
	sum := func(v convert.Value) convert.Value {
		return n.Layer("ReduceSum", 1, convert.Attributes("keep_dims", false), v, n.AxesFrom(v, 0))
	}
	switch {
	case kind == "none":
		return losses
	case kind == "sum":
		return sum(losses)
	case weights.Absent():
		return n.Layer("ReduceMean", 1, convert.Attributes("keep_dims", false), losses, n.AxesFrom(losses, 0))
	}
	return arithmetic.Divide(n, sum(losses), sum(without(weights)))
}
