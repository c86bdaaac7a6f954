package control

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/sequence"
)

// collector is the loop of a Loop. A list that it carries must be the one before the trip with more
// tensors at its end. These are values of all trips, joined along a new axis 0; or, if their shapes
// differ and all that reads the list joins them, a tensor that the loop carries and makes longer.
type collector struct {
	loop
	carried []state
	// scanned is the number of outputs of the node with values of all trips, and lists that of the
	// lists whose tensors are such values.
	scanned, lists int
}

// state is what a Loop carries from trip to trip.
type state struct {
	convert.Value
	// joined is the value of a list whose tensors are joined along axis; absent for others.
	joined convert.Value
	axis   int
}

// collected is a Loop that carries values.
func collected(n *convert.Node, values []convert.Value) []convert.Value {
	states := make([]state, len(values))
	for i, v := range values {
		states[i].Value = v
	}
	outputs := newCollector(n, states).add()
	again := false
	for i, v := range values {
		if v.List() != nil && !n.Failed() && n.Wants(i) && !outputs[i].Spoiled() {
			states[i].join(n, i, outputs[i].List())
			again = again || !states[i].joined.Absent()
		}
	}
	if again {
		outputs = newCollector(n, states).add()
	}
	return outputs
}

// join sets what is needed to join the tensors of a list in the loop, if their shapes may differ
// along an axis, and all that reads output i of the node joins them along it.
func (s *state) join(n *convert.Node, i int, after *convert.List) {
	last := len(after.Parts) - 1
	before, known := s.List().Length()
	if last < 0 || after.Parts[last].Kind != convert.PartStack || !known {
		return
	}
	shape := n.Shape(after.Parts[last].Value)
	readers, all := n.Readers(i)
	if !all || len(readers) == 0 || shape.Rank() < 2 {
		return
	}
	for k, reader := range readers {
		axis, ok := sequence.JoinedAlong(reader, shape.Rank()-1)
		if !ok || k > 0 && axis != s.axis {
			return
		}
		s.axis = axis
	}
	if shape.At(s.axis + 1).IsStatic() {
		return
	}
	if before > 0 {
		s.joined = n.Concat(int64(s.axis), s.Tensors()...)
		return
	}
	lengths := make([]int, shape.Rank()-1)
	for k := range lengths {
		if d := shape.At(k + 1); k == s.axis {
			lengths[k] = 0
		} else if !d.IsStatic() {
			return
		} else {
			lengths[k] = int(d.Min)
		}
	}
	empty, err := ir.NewTensor(n.Type(after.Parts[last].Value), lengths...)
	if err != nil {
		n.Fail("%w", err)
		return
	}
	s.joined = n.Value(empty)
}

// newCollector returns the loop of a node that carries states.
func newCollector(n *convert.Node, states []state) *collector {
	c := &collector{carried: states, scanned: n.Outputs() - len(states)}
	c.node, c.trips, c.condition = n, tripCount(n), n.Input(1)
	for _, s := range states {
		switch {
		case s.IsTensor():
			c.initial = append(c.initial, s.Value)
		case !s.joined.Absent():
			c.initial = append(c.initial, s.joined)
		default:
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
			return n.Wants(len(states) + i)
		}
		return c.values[i].PartSize > 0
	}
	c.run = c.trip
	return c
}

// trip adds the layers of a trip.
func (c *collector) trip(body *convert.Body, trip convert.Value, tensors, _ []convert.Value) (convert.Value, []convert.Value) {
	n := c.node
	// In a trip that takes place, the condition is true.
	inputs := []convert.Value{trip, body.ValueOf(true)}
	left := tensors
	for _, s := range c.carried {
		switch {
		case s.IsTensor():
			inputs, left = append(inputs, left[0]), left[1:]
			continue
		case s.IsEmpty():
			body.Fail("an optional without a value is carried by a loop whose number of trips is not known, or too large")
			return convert.Value{}, nil
		case !s.joined.Absent():
			left = left[1:]
		}
		inputs = append(inputs, convert.LoopList(s.List().Type))
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
	var results, lists []convert.Value
	for i, after := range outputs[1 : 1+len(c.carried)] {
		s := c.carried[i]
		if s.IsTensor() {
			results = append(results, after)
			continue
		}
		added := appended(body, i, inputs[2+i].List(), after.List())
		if !s.joined.Absent() {
			all := append([]convert.Value{tensors[len(results)]}, convert.Of(added).Tensors()...)
			results = append(results, body.Concat(int64(s.axis), all...))
			continue
		}
		var stack convert.Value
		if len(added.Parts) > 0 {
			stack = sequence.Stack(body.Node, added)
		}
		c.values[c.scanned+len(lists)].PartSize = int64(len(added.Parts))
		lists = append(lists, stack)
	}
	results = unsqueezed(body, append(results, outputs[1+len(c.carried):]...), len(results), c.values)
	return outputs[0], append(results, lists...)
}

// appended returns the tensors that a trip adds to list number i.
func appended(body *convert.Body, i int, before, after *convert.List) *convert.List {
	added := &convert.List{}
	if body.Failed() {
		return added
	}
	starts := false
	if after != nil {
		added.Type = after.Type
		added.Parts, starts = after.After(before)
	}
	if !starts {
		body.Fail("value %d is a sequence whose length depends on data: only a loop that appends tensors at its end is supported", i)
	} else if _, known := added.Length(); !known {
		body.Fail("value %d is a sequence whose length depends on data: a trip appends an unknown number of tensors", i)
	}
	return added
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
	if n.Failed() {
		return outputs
	}
	trips, known := n.Ints(c.trips)
	never := known && len(trips) == 1 && trips[0] == 0
	tensors, lists := outputs[:len(c.initial)], outputs[len(c.initial)+c.scanned:]
	var results []convert.Value
	for _, s := range c.carried {
		v := s.Value
		switch {
		case v.IsTensor():
			v, tensors = tensors[0], tensors[1:]
		case !s.joined.Absent():
			v = n.List(s.List().Type, []convert.Part{{Kind: convert.PartJoined, Value: tensors[0]}})
			tensors = tensors[1:]
		default:
			if !lists[0].Absent() && !never {
				v = n.List(s.List().Type, append(slices.Clone(s.List().Parts), convert.Part{Kind: convert.PartStack, Value: lists[0]}))
			}
			lists = lists[1:]
		}
		results = append(results, v)
	}
	return append(results, outputs[len(c.initial):len(c.initial)+c.scanned]...)
}
