package control

import (
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// loopNode is a Loop. Without the input for the number of trips there is no limit, and without a
// condition it is true before the first trip.
func loopNode(n *convert.Node) []convert.Value {
	var initial []convert.Value
	for i := 2; n.Has(i); i++ {
		initial = append(initial, n.Input(i))
	}
	states := len(initial)
	if given := max(n.InputCount()-2, 0); states < given {
		n.Fail("input %d is absent, and Loop requires it", states+2)
	}
	if n.Outputs() < states {
		n.Fail("the node has %d outputs, and %d values are carried from trip to trip", n.Outputs(), states)
	}
	checkCondition(n, n.Input(1))
	n.CheckGraph("body", states+2, 1+n.Outputs())
	if n.Failed() {
		return nil
	}
	lists := n.ReadsLists("body")
	for _, v := range initial {
		lists = lists || !v.IsTensor()
	}
	if lists {
		if outputs, done := unrolled(n, initial); done || n.Failed() {
			return outputs
		}
	}
	return collected(n, initial)
}

// tripCount returns the largest number of trips of a Loop as Loop-5 expects it: -1 if there is no
// limit, and 0 for negative numbers.
func tripCount(n *convert.Node) convert.Value {
	if !n.Has(0) {
		return n.IntValue(-1)
	}
	if trips, known := n.Ints(n.Input(0)); known && len(trips) == 1 && trips[0] >= 0 {
		return n.Input(0)
	}
	return arithmetic.Maximum(n, n.Input(0), n.IntValue(0))
}
