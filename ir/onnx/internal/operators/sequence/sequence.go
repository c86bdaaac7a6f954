// Package sequence converts operators on sequences and optionals. Neither exists in the model that
// is made: a sequence is a convert.List, whose tensors are known at conversion, and an optional is
// its value or convert.Empty. Operators that only change the list cost no layer.
//
// A list can begin with a stack: tensors of one shape whose number is known only when the model
// runs, as a loop collects them, or as a tensor is split into along an axis of unknown length. What
// is read from such a list is computed by layers. What would make a list whose length is known to
// nobody is an error.
package sequence

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	none, one, two := infer.Arity{}, infer.Arity{Min: 1, Max: 1}, infer.Arity{Min: 2, Max: 2}
	oneOrTwo, oneOrNone := infer.Arity{Min: 1, Max: 2}, infer.Arity{Max: 1}
	rules := []convert.Rule{
		{Operator: "ConcatFromSequence", Versions: []int{11}, Inputs: one, Convert: concat},
		{Operator: "Optional", Versions: []int{15, 28}, Inputs: oneOrNone, Convert: optional},
		{Operator: "OptionalGetElement", Versions: []int{15, 18, 28}, Inputs: one, Convert: getElement},
		{Operator: "OptionalHasElement", Versions: []int{15, 18, 28}, Inputs: oneOrNone, Convert: hasElement},
		{Operator: "SequenceAt", Versions: []int{11}, Inputs: two, Convert: at},
		{Operator: "SequenceConstruct", Versions: []int{11}, Inputs: infer.Arity{Min: 1, Max: -1}, Convert: construct},
		{Operator: "SequenceEmpty", Versions: []int{11}, Inputs: none, Convert: empty},
		{Operator: "SequenceErase", Versions: []int{11}, Inputs: oneOrTwo, Convert: erase},
		{Operator: "SequenceInsert", Versions: []int{11}, Inputs: infer.Arity{Min: 2, Max: 3}, Convert: insert},
		{Operator: "SequenceLength", Versions: []int{11}, Inputs: one, Convert: length},
		{Operator: "SplitToSequence", Versions: []int{11, 24}, Inputs: oneOrTwo, Convert: split},
	}
	for i := range rules {
		rules[i].Outputs, rules[i].AnyKind = one, true
	}
	return rules
}

// requireList returns the list that input i of a node is. It is an error if it is none.
func requireList(n *convert.Node, i int) *convert.List {
	list := n.Input(i).List()
	if list == nil {
		n.Fail("input %d is %v, expected a sequence", i, n.Input(i))
	}
	return list
}

// unknownLength makes it an error that a node would need to know the length of a sequence, or the
// position of a tensor in it.
func unknownLength(n *convert.Node, why string, values ...any) []convert.Value {
	n.Fail("a sequence whose length depends on data: "+why, values...)
	return nil
}

// singles returns tensors as the parts of a list.
func singles(values ...convert.Value) []convert.Part {
	parts := make([]convert.Part, len(values))
	for i, v := range values {
		parts[i].Value = v
	}
	return parts
}

// construct makes a sequence of all inputs.
func construct(n *convert.Node) []convert.Value {
	return []convert.Value{n.List(ir.Dynamic, singles(n.Inputs()...))}
}

// empty makes a sequence without tensors.
func empty(n *convert.Node) []convert.Value {
	return []convert.Value{n.List(n.ElementType("dtype", ir.F32), nil)}
}

// length gives the number of tensors.
func length(n *convert.Node) []convert.Value {
	list := requireList(n, 0)
	if n.Failed() {
		return nil
	}
	var counted int64
	var total convert.Value
	for _, part := range list.Parts {
		switch part.Kind {
		case convert.PartSingle:
			counted++
		case convert.PartCarried, convert.PartJoined:
			return unknownLength(n, "it is asked for in the loop that appends to the sequence")
		case convert.PartStack:
			total = plus(n, total, n.Reshape(n.Elements(part.Value, 0, 1), n.IntValues(), false))
		}
	}
	if counted > 0 || total.Absent() {
		total = plus(n, total, n.IntValue(counted))
	}
	return []convert.Value{total}
}

// plus returns the sum of two integers, of which the first can be absent.
func plus(n *convert.Node, a, b convert.Value) convert.Value {
	if a.Absent() {
		return b
	}
	return arithmetic.Add(n, a, b)
}

// insert puts a tensor before the one at a position, or at the end.
func insert(n *convert.Node) []convert.Value {
	list := requireList(n, 0)
	if n.Failed() {
		return nil
	}
	if !n.Has(2) {
		return []convert.Value{n.Append(list, n.Input(1))}
	}
	position, known := position(n, list, 1)
	switch {
	case n.Failed():
		return nil
	case !known:
		return unknownLength(n, "it changes, and the position is not known before the model runs")
	case position == len(list.Parts):
		return []convert.Value{n.Append(list, n.Input(1))}
	}
	parts := make([]convert.Part, 0, len(list.Parts)+1)
	parts = append(parts, list.Parts[:position]...)
	parts = append(append(parts, convert.Part{Value: n.Input(1)}), list.Parts[position:]...)
	return []convert.Value{n.List(list.Type, parts)}
}

// erase removes the tensor at a position, or the last one.
func erase(n *convert.Node) []convert.Value {
	list := requireList(n, 0)
	if n.Failed() {
		return nil
	}
	at, known := position(n, list, 0)
	switch {
	case n.Failed():
		return nil
	case !known:
		return unknownLength(n, "it changes, and the position is not known before the model runs")
	case at == len(list.Parts)-1:
		return []convert.Value{n.WithoutLast(list)}
	}
	parts := append(append([]convert.Part(nil), list.Parts[:at]...), list.Parts[at+1:]...)
	return []convert.Value{n.List(list.Type, parts)}
}

// position returns the position in a list that the last input of a node says, counted from the
// start, or that of the last tensor if there is no such input. Beyond the tensors, as many further
// positions are in range as more says. It is known if the input is, and either the list has only
// single tensors, or the position is counted from the end and is one of those that are single.
func position(n *convert.Node, list *convert.List, more int) (at int, known bool) {
	value := int64(-1)
	if input := n.Input(n.InputCount() - 1); n.InputCount() > 1 {
		values, ok := n.Ints(input)
		if !ok || n.Failed() {
			return 0, false
		}
		if len(values) != 1 {
			n.Fail("the position has %d elements, expected 1", len(values))
			return 0, false
		}
		value = values[0]
	}
	length, ok := list.Length()
	if ok {
		if value < -int64(length) || value >= int64(length+more) {
			n.Fail("position %d is out of range in a sequence of %d tensors", value, length)
			return 0, false
		}
		if value < 0 {
			value += int64(length)
		}
		return int(value), true
	}
	for i := len(list.Parts) - 1; i >= 0 && value < 0 && list.Parts[i].Kind == convert.PartSingle; i-- {
		if value++; value == 0 {
			return i, true
		}
	}
	return 0, false
}

// at gives the tensor at a position.
func at(n *convert.Node) []convert.Value {
	list := requireList(n, 0)
	if n.Failed() {
		return nil
	}
	if at, known := position(n, list, 0); known || n.Failed() {
		if n.Failed() {
			return nil
		}
		return []convert.Value{list.Parts[at].Value}
	}
	stack := Stack(n, list)
	// One element is cut out instead of gathered, because a Gather-8 gives zeros where there is
	// none.
	start := n.Convert(n.Reshape(n.Input(1), n.IntValues(1), false), ir.I64)
	isLast := n.Layer("Equal", 1, nil, start, n.IntValues(-1))
	end := arithmetic.Select(n, isLast, n.IntValues(math.MaxInt64), arithmetic.Add(n, start, n.IntValues(1)))
	return []convert.Value{n.Squeeze(n.Layer("Slice", 8, nil, stack, start, end, n.IntValues(1), n.IntValues(0)), 0)}
}
