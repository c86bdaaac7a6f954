package control

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/sequence"
)

// sequenceMap is SequenceMap: a graph for each tensor of the first sequence, which gets the tensors
// of all sequences at that position, and the other inputs as they are.
func sequenceMap(n *convert.Node) []convert.Value {
	inputs := n.Inputs()
	n.CheckGraph("body", len(inputs), n.Outputs())
	if n.Failed() {
		return nil
	}
	first := inputs[0].List()
	if first == nil {
		n.Fail("input 0 is %v, expected a sequence", inputs[0])
		return nil
	}
	for i, v := range inputs {
		if list := v.List(); list != nil {
			if _, known := list.Length(); !known {
				return mapStacks(n, inputs)
			}
			if len(list.Parts) != len(first.Parts) {
				n.Fail("input 0 is %v, and input %d is %v", inputs[0], i, v)
				return nil
			}
		}
	}
	outputs := make([][]convert.Part, n.Outputs())
	for at := range first.Parts {
		arguments := make([]convert.Value, len(inputs))
		for i, v := range inputs {
			if arguments[i] = v; v.List() != nil {
				arguments[i] = v.List().Parts[at].Value
			}
		}
		results := n.Graph("body", n.Outputs(), n.Wants, arguments...)
		if n.Failed() {
			return nil
		}
		for i, v := range results {
			if v.Spoiled() {
				return v.Distribute(n.Outputs(), n.Wants)
			}
			outputs[i] = append(outputs[i], convert.Part{Value: v})
		}
	}
	lists := make([]convert.Value, n.Outputs())
	for i, parts := range outputs {
		if n.Wants(i) {
			lists[i] = n.List(ir.Dynamic, parts)
		}
	}
	return lists
}

// mapStacks is sequenceMap with a sequence of a length that is known only when the model runs: a
// loop over their stacks.
func mapStacks(n *convert.Node, inputs []convert.Value) []convert.Value {
	l := &loop{node: n, condition: n.ValueOf(true), values: make([]ir.BodyPort, n.Outputs()), wants: n.Wants}
	for _, v := range inputs {
		if v.List() != nil {
			l.sliced = append(l.sliced, sequence.Stack(n, v.List()))
			l.slices = append(l.slices, joined(0, 1))
		}
	}
	for i := range l.values {
		l.values[i] = joined(0, 1)
	}
	if n.Failed() {
		return nil
	}
	l.trips = arithmetic.Length(n, l.sliced[0], 0)
	l.run = func(body *convert.Body, _ convert.Value, _, slices []convert.Value) (convert.Value, []convert.Value) {
		arguments := make([]convert.Value, len(inputs))
		for i, v := range inputs {
			if v.List() == nil {
				arguments[i] = body.Capture(v)
			} else {
				arguments[i], slices = slices[0], slices[1:]
			}
		}
		results := body.Graph("body", n.Outputs(), n.Wants, arguments...)
		if body.Failed() {
			return convert.Value{}, nil
		}
		return convert.Value{}, unsqueezed(body, results, 0, l.values)
	}
	outputs := l.add()
	for i, v := range outputs {
		if !v.Spoiled() && !v.Absent() {
			outputs[i] = n.List(ir.Dynamic, []convert.Part{{Kind: convert.PartStack, Value: v}})
		}
	}
	return outputs
}
