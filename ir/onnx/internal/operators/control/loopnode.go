package control

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/sequence"
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
	return newCollector(n, initial).add()
}

// collector is the loop of a Loop. Lists that it carries must be those before the trip with more
// tensors: these are collected as a value of the loop.
type collector struct {
	loop
	carried []convert.Value // what the node carries, tensors and lists
	lists   int             // the number of lists in carried
	scanned int             // the number of outputs of the node with values of all trips
}

// newCollector returns the loop of a node that carries values.
func newCollector(n *convert.Node, carried []convert.Value) *collector {
	c := &collector{carried: carried, scanned: n.Outputs() - len(carried)}
	c.node, c.trips, c.condition = n, tripCount(n), n.Input(1)
	for _, v := range carried {
		if v.IsTensor() {
			c.initial = append(c.initial, v)
		} else {
			c.lists++
		}
	}
	if c.condition.Absent() {
		c.condition = n.ValueOf(true)
	} else if condition, known := n.Ints(c.condition); known && len(condition) == 1 && condition[0] == 0 {
		// A Loop-5 with a Constant that is false loses the states.
		c.trips, c.condition = n.IntValue(0), n.ValueOf(true)
	}
	c.values = make([]ir.BodyPort, c.scanned+c.lists)
	for i := range c.values {
		c.values[i] = joined(0, 1)
	}
	c.wants = func(i int) bool {
		if i -= len(c.initial); i < c.scanned {
			return n.Wants(len(carried) + i)
		}
		return c.values[i].PartSize > 0
	}
	c.run = c.trip
	return c
}

// trip adds the layers of a trip.
func (c *collector) trip(body *convert.Body, trip convert.Value, states, _ []convert.Value) (convert.Value, []convert.Value) {
	n := c.node
	// In a trip that takes place, the condition is true.
	inputs := []convert.Value{trip, body.ValueOf(true)}
	for _, v := range c.carried {
		switch {
		case v.IsTensor():
			inputs, states = append(inputs, states[0]), states[1:]
		case v.IsEmpty():
			body.Fail("an optional without a value is carried by a loop whose number of trips is not known, or too large")
			return convert.Value{}, nil
		default:
			inputs = append(inputs, convert.LoopList(v.List().Type))
		}
	}
	wanted := func(i int) bool { return i <= len(c.carried) || n.Wants(i-1) }
	outputs := body.Graph("body", 1+n.Outputs(), wanted, inputs...)
	if body.Failed() {
		return convert.Value{}, nil
	}
	for _, v := range outputs {
		if v.Spoiled() {
			return v, nil
		}
	}
	var results, collected []convert.Value
	for i, after := range outputs[1 : 1+len(c.carried)] {
		if c.carried[i].IsTensor() {
			results = append(results, after)
			continue
		}
		v, count := c.appended(body, i, inputs[2+i].List(), after.List())
		c.values[c.scanned+len(collected)].PartSize = int64(count)
		collected = append(collected, v)
	}
	results = unsqueezed(body, append(results, outputs[1+len(c.carried):]...), len(results), c.values)
	return outputs[0], append(results, collected...)
}

// appended returns the tensors that a trip adds to a list, joined along a new axis 0, and their
// number.
func (c *collector) appended(body *convert.Body, i int, before, after *convert.List) (v convert.Value, count int) {
	if body.Failed() {
		return v, 0
	}
	var parts []convert.Part
	starts := false
	if after != nil {
		parts, starts = after.After(before)
	}
	if !starts {
		body.Fail("value %d is a sequence whose length depends on data: only a loop that appends tensors at its end is supported", i)
		return v, 0
	}
	added := &convert.List{Type: after.Type, Parts: parts}
	if count, starts = added.Length(); !starts {
		body.Fail("value %d is a sequence whose length depends on data: a trip appends an unknown number of tensors", i)
		return v, 0
	}
	if count > 0 {
		v = sequence.Stack(body.Node, added)
	}
	return v, count
}

// add adds the loop, and returns the outputs of the node.
func (c *collector) add() []convert.Value {
	n := c.node
	outputs := c.loop.add()
	for _, v := range outputs {
		if v.Spoiled() {
			return v.Distribute(n.Outputs(), n.Wants)
		}
	}
	if n.Failed() || c.lists == 0 {
		return outputs
	}
	trips, known := n.Ints(c.trips)
	never := known && trips[0] == 0
	states, collected := outputs[:len(c.initial)], outputs[len(c.initial)+c.scanned:]
	var results []convert.Value
	for _, v := range c.carried {
		if v.IsTensor() {
			results, states = append(results, states[0]), states[1:]
			continue
		}
		list := v.List()
		if !collected[0].Absent() && !never {
			parts := append(append([]convert.Part(nil), list.Parts...), convert.Part{Kind: convert.PartStack, Value: collected[0]})
			v = n.List(list.Type, parts)
		}
		results, collected = append(results, v), collected[1:]
	}
	return append(results, outputs[len(c.initial):len(c.initial)+c.scanned]...)
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
	return n.Layer("Maximum", 1, convert.Attributes("auto_broadcast", "numpy"), n.Input(0), n.IntValue(0))
}
