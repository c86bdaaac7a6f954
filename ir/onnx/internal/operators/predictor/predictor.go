// Package predictor converts the classifiers and regressors of the domain ai.onnx.ml: linear ones,
// support vector machines, and ensembles of trees. Each computes scores from rows of features. A
// post transform makes probabilities of them, and a classifier also gives the label of the class
// that it takes.
package predictor

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// domain is that of the operators.
const domain = "ai.onnx.ml"

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	one, two := infer.Arity{Min: 1, Max: 1}, infer.Arity{Min: 2, Max: 2}
	return []convert.Rule{
		{Domain: domain, Operator: "LinearClassifier", Versions: []int{1}, Inputs: one, Outputs: two, Convert: linearClassifier},
		{Domain: domain, Operator: "LinearRegressor", Versions: []int{1}, Inputs: one, Outputs: one, Convert: linearRegressor},
		{Domain: domain, Operator: "SVMClassifier", Versions: []int{1}, Inputs: one, Outputs: two, Convert: svmClassifier},
		{Domain: domain, Operator: "SVMRegressor", Versions: []int{1}, Inputs: one, Outputs: one, Convert: svmRegressor},
		{Domain: domain, Operator: "TreeEnsemble", Versions: []int{5}, Inputs: one, Outputs: one, Convert: treeEnsemble},
		{Domain: domain, Operator: "TreeEnsembleClassifier", Versions: []int{1, 3, 5}, Inputs: one, Outputs: two, Convert: treeClassifier},
		{Domain: domain, Operator: "TreeEnsembleRegressor", Versions: []int{1, 3, 5}, Inputs: one, Outputs: one, Convert: treeRegressor},
	}
}

// rows returns input 0 as rows of features of type t. A vector is one row.
func rows(n *convert.Node, t ir.ElementType) convert.Value {
	x := n.Convert(n.Input(0), t)
	if n.Rank(x) == 1 {
		x = n.Unsqueeze(x, 0)
	}
	return x
}

// matrix adds a Constant of f32 with rows of the given length. It is an error if the values are not
// rows of it.
func matrix(n *convert.Node, what string, values []float32, count int) convert.Value {
	if count < 1 || len(values)%count != 0 {
		n.Fail("%s has %d elements, which are not %d rows", what, len(values), count)
		return convert.Value{}
	}
	return n.ValueOf(values, count, len(values)/count)
}

// classes are the labels of a classifier, whose outputs are numbers of classes without them.
type classes struct{ labels *ir.Tensor }

// readClasses returns the labels in one of two attributes.
func readClasses(n *convert.Node, texts, ints string) classes {
	labels, err := ir.TensorFrom(n.IntList(ints))
	if list := n.TextList(texts); len(list) > 0 {
		if labels.Len() > 0 {
			n.Fail("attributes %s and %s have both labels", texts, ints)
		}
		labels, err = ir.TensorFrom(list)
	}
	switch {
	case err != nil:
		n.Fail("labels: %w", err)
	case labels.Len() == 0:
		n.Fail("attributes %s and %s have no labels", texts, ints)
	}
	return classes{labels}
}

// of returns the labels of classes that are numbers of i64, [rows].
func (c classes) of(n *convert.Node, numbers convert.Value) convert.Value {
	return arithmetic.Gather(n, n.Value(c.labels), numbers, 0)
}

// best returns the label of the first of the highest scores of each row.
func (c classes) best(n *convert.Node, scores convert.Value) convert.Value {
	attributes := convert.Attributes("axis", 1, "mode", "max", "sort", "value", "index_element_type", ir.I64, "stable", true)
	top := n.Layer("TopK", 11, attributes, scores, n.IntValue(1))
	if n.Failed() {
		return convert.Value{}
	}
	return c.of(n, n.Squeeze(top.Output(1), 1))
}

// above returns the second label for rows whose only score is above a threshold, and else the
// first.
func (c classes) above(n *convert.Node, score convert.Value, threshold float64) convert.Value {
	high := n.Layer("Greater", 1, nil, n.Squeeze(score, 1), n.Like(score, threshold))
	return c.of(n, n.Convert(high, ir.I64))
}

// count returns the number of labels.
func (c classes) count() int { return c.labels.Len() }
