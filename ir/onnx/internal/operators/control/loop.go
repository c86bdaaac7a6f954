package control

import (
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
	if outputs == 0 {
		return make([]convert.Value, len(results)) // the lists that it carries do not change
	}
	inputs := append([]convert.Value{l.trips, l.condition}, l.initial...)
	layer := l.node.LayerWithBodies("Loop", 5, outputs, []*convert.Body{body}, append(inputs, l.sliced...)...)
	return layer.Distribute(len(results), l.has)
}
