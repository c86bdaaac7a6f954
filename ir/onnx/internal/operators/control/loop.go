package control

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// loop is a Loop-5 that is added for a node.
//
//	for trip := range trips, while condition:
//	    condition, states, values = body(trip, condition, states, slices)
//
// trips and condition are inputs 0 and 1 of the layer, followed by initial and by sliced.
type loop struct {
	node             *convert.Node
	trips, condition convert.Value
	// initial has the states before the first trip, and sliced the values that are cut along axes.
	initial, sliced []convert.Value
	slices          []ir.BodyPort // of sliced
	// values are the outputs after the states, which have the values of all trips joined.
	values []ir.BodyPort
	wants  func(output int) bool
	// run adds the layers of a trip. It returns nil instead of a condition that is always true.
	run func(body *convert.Body, trip convert.Value, states, slices []convert.Value) (condition convert.Value, results []convert.Value)
}

// loopNode is a Loop. Without the input for the number of trips there is no limit, and without a
// condition it is true before the first trip.
//
// What no trip changes is no state but a value that the body reads from the graph around it, which
// is not copied and may be constant: TensorFlow's loops carry their weights.
func loopNode(n *convert.Node) []convert.Value {
	var initial []convert.Value // of what changes
	var changes []int           // their numbers
	states := 0
	for ; n.Has(2 + states); states++ {
		if !n.Returns("body", 1+states, 2+states) {
			initial, changes = append(initial, n.Input(2+states)), append(changes, states)
		}
	}
	if given := max(n.InputCount()-2, 0); states < given {
		n.Fail("input %d is absent, and Loop requires it", states+2)
	}
	if n.Outputs() < states {
		n.Fail("the node has %d outputs, and %d values are carried from trip to trip", n.Outputs(), states)
	}
	if n.Failed() {
		return nil
	}
	if len(changes) == 0 && n.Outputs() == states {
		return withConstants(n, []convert.Value{}, changes, states)
	}
	constants := states - len(changes)
	l := &loop{
		node: n, trips: tripCount(n), condition: n.Input(1), initial: initial,
		wants:  func(output int) bool { return n.Wants(constants + output) },
		values: make([]ir.BodyPort, n.Outputs()-states),
	}
	checkCondition(n, l.condition)
	if l.condition.Absent() {
		l.condition = n.ValueOf(true)
	} else if condition, known := n.Ints(l.condition); known && len(condition) == 1 && condition[0] == 0 {
		// A Loop-5 with a Constant that is false loses the states.
		l.trips, l.condition = n.IntValue(0), n.ValueOf(true)
	}
	for i := range l.values {
		l.values[i] = joined(0, 1)
	}
	l.run = func(body *convert.Body, trip convert.Value, changing, _ []convert.Value) (convert.Value, []convert.Value) {
		// In a trip that takes place, the condition is true.
		inputs := []convert.Value{trip, body.ValueOf(true)}
		for i := range states {
			if k, ok := slices.BinarySearch(changes, i); ok {
				inputs = append(inputs, changing[k])
			} else {
				inputs = append(inputs, body.Capture(n.Input(2+i)))
			}
		}
		wanted := func(i int) bool { return i <= states || n.Wants(i-1) }
		outputs := body.Graph("body", 1+n.Outputs(), wanted, inputs...)
		if body.Failed() {
			return convert.Value{}, nil
		}
		var results []convert.Value
		for _, i := range changes {
			results = append(results, outputs[1+i])
		}
		return outputs[0], unsqueezed(body, append(results, outputs[1+states:]...), len(changes), l.values)
	}
	return withConstants(n, l.add(), changes, states)
}

// withConstants returns the outputs of a node with a number of states, of which a loop has those
// that change.
func withConstants(n *convert.Node, outputs []convert.Value, changes []int, states int) []convert.Value {
	if outputs == nil || len(changes) == states {
		return outputs
	}
	var all []convert.Value
	for i := range states {
		if k, ok := slices.BinarySearch(changes, i); ok {
			all = append(all, outputs[k])
		} else {
			all = append(all, n.Input(2+i))
		}
	}
	return append(all, outputs[len(changes):]...)
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

// joined is the port of values that are joined along an axis, or in reverse order if stride is -1.
func joined(axis, stride int64) ir.BodyPort {
	port := ir.BodyPort{Sliced: true, Axis: axis, End: -1, Stride: stride, PartSize: 1}
	if stride < 0 {
		port.Start, port.End = -1, 0
	}
	return port
}

// unsqueezed returns the results of a trip: states, and values with the axis along which they are
// joined.
func unsqueezed(body *convert.Body, outputs []convert.Value, states int, ports []ir.BodyPort) []convert.Value {
	results := append([]convert.Value(nil), outputs[:states]...)
	for i, v := range outputs[states:] {
		if !v.Absent() {
			v = body.Unsqueeze(v, ports[i].Axis)
		}
		results = append(results, v)
	}
	return results
}

// add adds the loop, and returns its outputs.
func (l *loop) add() []convert.Value {
	shapes := make([]ir.PartialShape, len(l.initial))
	for i, v := range l.initial {
		shapes[i] = l.node.Shape(v)
	}
	for round := 0; ; round++ {
		body, states, results := l.body(shapes)
		for _, v := range results {
			if v.Spoiled() {
				return v.Distribute(len(l.initial)+len(l.values), l.has)
			}
		}
		if body.Failed() {
			return nil
		}
		if !l.relax(body, shapes, results, round) {
			return l.layer(body, states, results)
		}
	}
}

// has reports whether the layer has an output for a result of the body: it has one for each state.
func (l *loop) has(i int) bool { return i < len(l.initial) || l.wants(i) }

// Rounds of loop.relax after which lengths and ranks that change become unknown at once.
const (
	roundsOfLengths = 3
	roundsOfRanks   = 5
)

// relax makes shapes contain those of the states after a trip, and reports whether one of them did
// not.
func (l *loop) relax(body *convert.Body, shapes []ir.PartialShape, results []convert.Value, round int) bool {
	changed := false
	for i := range shapes {
		after := body.Shape(results[i])
		if shapes[i].Contains(after) {
			continue
		}
		changed = true
		shapes[i] = widened(shapes[i], after)
		if round >= roundsOfRanks {
			shapes[i] = ir.UnknownRank
		} else if round >= roundsOfLengths && shapes[i].RankKnown() {
			shapes[i] = ir.ShapeOfRank(shapes[i].Rank())
		}
	}
	return changed
}

// widened returns a shape that contains both a and b: lengths and ranks that differ are unknown.
func widened(a, b ir.PartialShape) ir.PartialShape {
	if !a.RankKnown() || !b.RankKnown() || a.Rank() != b.Rank() {
		return ir.UnknownRank
	}
	for i, d := range a.Dims() {
		if d != b.At(i) {
			a = a.With(i, ir.AnyDim)
		}
	}
	return a
}

// body returns the body for states of the given shapes, the states before a trip, and the results
// of it: the states after it and then the values.
func (l *loop) body(shapes []ir.PartialShape) (body *convert.Body, states, results []convert.Value) {
	n := l.node
	body = n.NewBody()
	trip := body.Parameter(ir.BodyPort{External: -1, Purpose: "current_iteration"}, ir.I64, ir.ShapeOf())
	for i, v := range l.initial {
		states = append(states, body.Parameter(ir.BodyPort{External: 2 + i}, n.Type(v), shapes[i]))
	}
	var slices []convert.Value
	for i, v := range l.sliced {
		port, shape := l.slices[i], n.Shape(v)
		port.External = 2 + len(l.initial) + i
		if shape.RankKnown() {
			axis := n.Axis(port.Axis, shape.Rank())
			if n.Failed() {
				return body, nil, nil
			}
			shape = shape.With(axis, ir.Dim(1))
		}
		slices = append(slices, body.Squeeze(body.Parameter(port, n.Type(v), shape), port.Axis))
	}
	condition, results := l.run(body, trip, states, slices)
	for _, v := range append(results, condition) {
		if body.Failed() || v.Spoiled() {
			return body, states, append(results, condition)
		}
	}
	if condition.Absent() {
		condition = body.ValueOf(true)
	}
	body.Result(ir.BodyPort{External: -1, Purpose: "execution_condition"}, condition)
	for i, state := range states {
		if before, after := body.Type(state), body.Type(results[i]); before != after {
			n.Fail("value %d is %v before the first trip, and %v after it", i, before, after)
		}
	}
	return body, states, results
}

// layer adds the layer and returns its outputs.
func (l *loop) layer(body *convert.Body, states, results []convert.Value) []convert.Value {
	outputs := 0
	for i, v := range results {
		if !l.has(i) {
			continue
		}
		var port ir.BodyPort
		if i >= len(states) {
			port = l.values[i-len(states)]
		}
		port.External = outputs
		outputs++
		if result := body.Result(port, v); i < len(states) {
			body.State(result, states[i])
		}
	}
	inputs := append([]convert.Value{l.trips, l.condition}, l.initial...)
	layer := l.node.LayerWithBodies("Loop", 5, outputs, []*convert.Body{body}, append(inputs, l.sliced...)...)
	return layer.Distribute(len(results), l.has)
}
