// Package blocks converts operators that move blocks of an image to other places: SpaceToDepth,
// Col2Im, CenterCropPad, MaxUnpool and UnfoldTensor.
package blocks

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	one, two, three := infer.Arity{Min: 1, Max: 1}, infer.Arity{Min: 2, Max: 2}, infer.Arity{Min: 3, Max: 3}
	return []convert.Rule{
		{Operator: "CenterCropPad", Versions: []int{18}, Inputs: two, Outputs: one, Convert: centerCropPad},
		{Operator: "Col2Im", Versions: []int{18}, Inputs: three, Outputs: one, Convert: col2Im},
		{Operator: "MaxUnpool", Versions: []int{9, 11, 22}, Inputs: infer.Arity{Min: 2, Max: 3}, Outputs: one, Convert: maxUnpool},
		{Operator: "SpaceToDepth", Versions: []int{1, 13, 28}, Inputs: one, Outputs: one, Convert: spaceToDepth},

		{Domain: "com.microsoft", Operator: "UnfoldTensor", Versions: []int{1}, Inputs: one, Outputs: one, Convert: unfoldTensor},
	}
}

// spaceToDepth moves blocks of rows and columns to channels. In the mode CRD, which came with
// version 28, the elements of a block are neighbours.
func spaceToDepth(n *convert.Node) []convert.Value {
	n.RequireAttribute("blocksize")
	mode := "blocks_first"
	if n.Enum("mode", "DCR", "DCR", "CRD") == "CRD" {
		mode = "depth_first"
	}
	attributes := convert.Attributes("block_size", n.Int("blocksize", 0), "mode", mode)
	return []convert.Value{n.Layer("SpaceToDepth", 1, attributes, n.Input(0))}
}

// centerCropPad cuts data around its centre, or surrounds it with zeros, to the lengths that are
// given for some axes. An odd element is cut off or added at the end.
func centerCropPad(n *convert.Node) []convert.Value {
	data, target := n.Input(0), n.Convert(n.Input(1), ir.I64)
	lengths := n.ShapeOf(data)
	if n.HasAttribute("axes") {
		attributes := convert.Attributes("reduction", "none", "use_init_val", true)
		target = n.Layer("ScatterElementsUpdate", 12, attributes, lengths, n.IntValues(n.IntList("axes")...), target, n.IntValue(0))
	}
	added := arithmetic.Subtract(n, target, lengths)
	begins := arithmetic.Divide(n, added, n.IntValue(2))
	ends := arithmetic.Subtract(n, added, begins)
	return []convert.Value{arithmetic.Pad(n, data, begins, ends, arithmetic.Zero(n, data))}
}

// unfoldTensor gives the windows of a length along an axis, each of them as a last axis.
func unfoldTensor(n *convert.Node) []convert.Value {
	x, axis, size, step := n.Input(0), n.Int("dim", -1), n.Int("size", 1), n.Int("step", 1)
	rank := n.RequireRank(x, "input 0")
	along := n.Axis(axis, rank)
	if size < 1 || step < 1 {
		n.Fail("attributes size and step are %d and %d, expected at least 1", size, step)
	}
	if n.Failed() {
		return nil
	}
	windows := arithmetic.Length(n, x, int64(along))
	windows = arithmetic.Plus(n, arithmetic.Divide(n, arithmetic.Plus(n, windows, -float64(size)), n.IntValue(step)), 1)
	starts := arithmetic.Multiply(n, arithmetic.Range(n, windows, ir.I64), n.IntValue(step))
	places := arithmetic.Add(n, n.Unsqueeze(starts, 1), arithmetic.Range(n, n.IntValue(size), ir.I64))
	// The axes of the result are those before, windows, elements of a window, those behind.
	perm := make([]int64, 0, rank+1)
	for i := range rank + 1 {
		if i != along+1 {
			perm = append(perm, int64(i))
		}
	}
	perm = append(perm, int64(along+1))
	return []convert.Value{n.Transpose(arithmetic.Gather(n, x, places, int64(along)), perm...)}
}
