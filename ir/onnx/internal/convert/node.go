package convert

import (
	"github.com/beevik/etree"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// Node is a node that a rule converts. The first error is kept: methods that are called after it
// return zero values, and add nothing.
type Node struct {
	// Version is that of the operator: one of Rule.Versions.
	Version int

	graph  *graph
	node   *proto.Node
	inputs []Value
	layers []*ir.Layer // that were made, if there is an Observer
	err    error
	// origin is the rt_info of its layers.
	origin *etree.Element
}

// Fail keeps an error, unless there is one. It says only what is wrong: the node is added.
//
// It is not inlined: the code of the command would be 16 KiB larger.
//
//go:noinline
func (n *Node) Fail(format string, args ...any) {
	n.fail(faults.Errorf(format, args...))
}

func (n *Node) fail(err error) {
	if n.err == nil {
		n.err = err
	}
}

// Note adds a note about the node to the model.
func (n *Node) Note(format string, args ...any) {
	n.graph.note("%s: %s", nodeText(n.node.Name, firstOf(n.node.Outputs)), faults.Errorf(format, args...).Error())
}

// Failed reports whether there is an error. A rule with a loop over inputs or elements asks it.
//
// It is not inlined: the code of the command would be 8 KiB larger.
//
//go:noinline
func (n *Node) Failed() bool { return n.err != nil || n.graph.builder.Err() != nil }

// Operator returns the name of the operator.
func (n *Node) Operator() string { return n.node.Operator }

// Input returns input i, which is absent if the node leaves it out.
//
// It is not inlined: the code of the command would be 24 KiB larger.
//
//go:noinline
func (n *Node) Input(i int) Value {
	if i >= len(n.inputs) {
		return Value{}
	}
	return n.inputs[i]
}

// RequireInput returns input i. It is an error if it is absent.
func (n *Node) RequireInput(i int) Value {
	if !n.Has(i) {
		n.Fail("input %d is absent, and %s requires it", i, n.Operator())
	}
	return n.Input(i)
}

// Has reports whether input i is there.
//
// It is not inlined: the code of the command would be 8 KiB larger.
//
//go:noinline
func (n *Node) Has(i int) bool { return !n.Input(i).Absent() }

// Inputs returns all inputs, of an operator that takes any number of them. It is an error if one is
// absent.
func (n *Node) Inputs() []Value {
	for i := range n.inputs {
		n.RequireInput(i)
	}
	return n.inputs
}

// InputCount returns the number of inputs of the node, with those that are absent.
func (n *Node) InputCount() int { return len(n.inputs) }

// Outputs returns the number of outputs of the node, with those that it names "".
func (n *Node) Outputs() int { return len(n.node.Outputs) }

// Wants reports whether the node has an output i that a name stands for.
func (n *Node) Wants(i int) bool { return i < len(n.node.Outputs) && n.node.Outputs[i] != "" }

// fact returns what is known about a value.
func (n *Node) fact(v Value) ir.Fact {
	if n.Failed() || v.Absent() {
		return ir.Fact{Shape: ir.UnknownRank}
	}
	if err := v.checkTensor(); err != nil {
		n.Fail("a value is %w", err)
		return ir.Fact{Shape: ir.UnknownRank}
	}
	return n.graph.builder.Fact(v.source())
}

// Type returns the element type of a value; Dynamic if it is not known.
//
// It is not inlined: the code of the command would be 20 KiB larger.
//
//go:noinline
func (n *Node) Type(v Value) ir.ElementType { return n.fact(v).Type }

// Shape returns what is known about the shape of a value.
//
// It is not inlined: the code of the command would be 11 KiB larger.
//
//go:noinline
func (n *Node) Shape(v Value) ir.PartialShape { return n.fact(v).Shape }

// Rank returns the rank of a value; -1 if it is not known.
//
// It is not inlined: the code of the command would be 10 KiB larger.
//
//go:noinline
func (n *Node) Rank(v Value) int { return n.fact(v).Shape.Rank() }

// Length returns what is known about the length of a value along an axis; AnyDim if the value has
// no such axis.
func (n *Node) Length(v Value, axis int) ir.Dimension {
	shape := n.Shape(v)
	if axis >= shape.Rank() {
		return ir.AnyDim
	}
	return shape.At(axis)
}

// RequireRank is Rank for a rule that cannot do without. It is an error if the rank is not known;
// input names the value in it.
func (n *Node) RequireRank(v Value, input string) int {
	rank := n.Rank(v)
	if rank < 0 {
		n.Fail("the rank of %s must be known", input)
		return 0
	}
	return rank
}

// Constant returns the elements of a value, or nil if they are not all known before the model runs.
func (n *Node) Constant(v Value) *ir.Tensor {
	f := n.fact(v)
	return f.Constant()
}

// RequireConstant is Constant for a rule that cannot do without. It is an error if an element is
// not known; input names the value in it.
func (n *Node) RequireConstant(v Value, input string) *ir.Tensor {
	t := n.Constant(v)
	if t == nil {
		n.Fail("%s must be known before the model runs", input)
	}
	return t
}

// Ints returns the elements of a value of integers, and whether they are all known before the model
// runs, as they are if there is none.
func (n *Node) Ints(v Value) ([]int64, bool) {
	f := n.fact(v)
	if f.Type.IsInteger() && f.Shape.Elements().Max == 0 {
		return nil, true
	}
	return f.Ints()
}

// RequireInts is Ints for a rule that cannot do without. It is an error if an element is not known;
// input names the value in it.
func (n *Node) RequireInts(v Value, input string) []int64 {
	ints, ok := n.Ints(v)
	if !ok {
		n.Fail("%s must be known before the model runs", input)
	}
	return ints
}

// CheckAxis makes it an error if there is no such axis, which is counted from the end if it is
// negative, of a value of some rank; of a value of unknown rank, -1, if none can have it. A rule
// that counts up to an axis asks it first.
func (n *Node) CheckAxis(axis int64, rank int) {
	if rank < 0 {
		rank = ir.MaxRank
	}
	n.Axis(axis, rank)
}

// Axis returns an axis of a value of some rank that is counted from the end if it is negative, as
// one that is counted from the start. It is an error if there is no such axis.
func (n *Node) Axis(axis int64, rank int) int {
	if axis < -int64(rank) || axis >= int64(rank) {
		n.Fail("axis %d of rank %d is out of range", axis, rank)
		return 0
	}
	if axis < 0 {
		axis += int64(rank)
	}
	return int(axis)
}
