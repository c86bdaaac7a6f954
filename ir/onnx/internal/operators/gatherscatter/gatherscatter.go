// Package gatherscatter converts operators that read or write elements whose places are values:
// Gather, GatherElements, GatherND, Scatter, ScatterElements and ScatterND.
//
// Indices count from the end if they are negative. One that is out of range is an error when the
// model runs, except in Gather, where it gives zeros, as OpenVINO specifies. The order in which
// updates of the same element take effect is not specified.
package gatherscatter

import (
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	one, two, three := infer.Arity{Min: 1, Max: 1}, infer.Arity{Min: 2, Max: 2}, infer.Arity{Min: 3, Max: 3}
	return []convert.Rule{
		{Operator: "Gather", Versions: []int{1, 11, 13}, Inputs: two, Outputs: one, Convert: gather},
		{Operator: "GatherElements", Versions: []int{11, 13}, Inputs: two, Outputs: one, Convert: gatherElements},
		{Operator: "GatherND", Versions: []int{11, 12, 13}, Inputs: two, Outputs: one, Convert: gatherND},
		{Operator: "Scatter", Versions: []int{9, 11}, Inputs: three, Outputs: one, Convert: scatterElements},
		{Operator: "ScatterElements", Versions: []int{11, 13, 16, 18}, Inputs: three, Outputs: one, Convert: scatterElements},
		{Operator: "ScatterND", Versions: []int{11, 13, 16, 18}, Inputs: three, Outputs: one, Convert: scatterND},

		{Domain: "com.microsoft", Operator: "GatherND", Versions: []int{1}, Inputs: two, Outputs: one, Convert: gatherND},
	}
}

// gather takes the slices of data along an axis that indices name.
func gather(n *convert.Node) []convert.Value {
	return []convert.Value{arithmetic.Gather(n, n.Input(0), n.Input(1), n.Int("axis", 0))}
}

// gatherElements takes one element for each index, from the same place along all axes but one.
func gatherElements(n *convert.Node) []convert.Value {
	attributes := convert.Attributes("axis", n.Int("axis", 0))
	return []convert.Value{n.Layer("GatherElements", 6, attributes, n.Input(0), n.Input(1))}
}

// gatherND takes the slices whose places are the rows of indices. Since version 12 the first
// batch_dims axes of data and indices are the same.
func gatherND(n *convert.Node) []convert.Value {
	attributes := convert.Attributes("batch_dims", n.Int("batch_dims", 0))
	return []convert.Value{n.Layer("GatherND", 8, attributes, n.Input(0), n.Input(1))}
}

// scatterElements writes one element for each index. Scatter is its old name.
func scatterElements(n *convert.Node) []convert.Value {
	attributes := convert.Attributes("reduction", reduction(n), "use_init_val", true)
	axis := n.IntValue(n.Int("axis", 0))
	return []convert.Value{n.Layer("ScatterElementsUpdate", 12, attributes, n.Input(0), n.Input(1), n.Input(2), axis)}
}

// scatterND writes a slice for each row of indices.
func scatterND(n *convert.Node) []convert.Value {
	attributes := convert.Attributes("reduction", reduction(n))
	return []convert.Value{n.Layer("ScatterNDUpdate", 15, attributes, n.Input(0), n.Input(1), n.Input(2))}
}

// reduction returns OpenVINO's name of what a node does with an element of data and its updates:
// the updates replace it or, since version 16, the result is the sum or the product of all, since
// 18 also the largest or smallest.
func reduction(n *convert.Node) string {
	switch name := n.Enum("reduction", "none", "none", "add", "mul", "max", "min"); name {
	case "add":
		return "sum"
	case "mul":
		return "prod"
	default:
		return name
	}
}
