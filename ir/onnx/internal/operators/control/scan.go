package control

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// scan is a Scan that is added as a loop, which has as many trips as the values that it cuts have
// elements along an axis.
type scan struct {
	loop
	axes []int64 // of the values that are cut
	// joinAxes are those of the values that are joined. Where atFront is set, they are joined along
	// axis 0, and putBack moves it.
	joinAxes []int64
	atFront  []bool
}

// newScan returns the scan of a node whose states begin at an input. It reads the attributes that
// have the axes and directions by the names that they have in the version of the operator.
func newScan(n *convert.Node, first int, directions string) *scan {
	n.RequireAttribute("num_scan_inputs")
	slices := n.Int("num_scan_inputs", 1)
	states := int64(n.InputCount()-first) - slices
	if slices < 1 || states < 0 || int64(n.Outputs()) < states {
		n.Fail("attribute num_scan_inputs is %d, the node has %d inputs and %d outputs", slices, n.InputCount(), n.Outputs())
	}
	if n.Failed() {
		return nil
	}
	inputs := make([]convert.Value, states+slices)
	for i := range inputs {
		if inputs[i] = n.Input(first + i); inputs[i].Absent() {
			n.Fail("input %d is absent, and Scan requires it", first+i)
			return nil
		}
	}
	values := n.Outputs() - int(states)
	s := &scan{
		loop: loop{
			node: n, condition: n.ValueOf(true), initial: inputs[:states], sliced: inputs[states:], wants: n.Wants,
			slices: make([]ir.BodyPort, slices), values: make([]ir.BodyPort, values),
		},
		axes: n.IntsOf("scan_input_axes", int(slices), 0),
	}
	for i, direction := range n.IntsOf(directions, int(slices), 0) {
		s.sliced[i], s.axes[i] = counted(n, s.sliced[i], s.axes[i])
		s.slices[i] = joined(s.axes[i], stride(n, directions, direction))
	}
	s.joinAxes, s.atFront = n.IntsOf("scan_output_axes", values, 0), make([]bool, values)
	for i, direction := range n.IntsOf("scan_output_directions", values, 0) {
		s.values[i] = joined(s.joinAxes[i], stride(n, "scan_output_directions", direction))
	}
	s.run = func(body *convert.Body, _ convert.Value, states, slices []convert.Value) (convert.Value, []convert.Value) {
		wanted := func(i int) bool { return i < len(states) || s.wants(i) }
		outputs := body.Graph("body", n.Outputs(), wanted, append(states[:len(states):len(states)], slices...)...)
		if body.Failed() {
			return convert.Value{}, nil
		}
		for i, v := range outputs[len(states):] {
			s.values[i].Axis = s.joinAxes[i]
			if s.atFront[i] = s.joinAxes[i] < 0 && !v.Absent() && !body.Shape(v).RankKnown(); s.atFront[i] {
				s.values[i].Axis = 0
			}
		}
		return convert.Value{}, unsqueezed(body, outputs, len(states), s.values)
	}
	return s
}

// stride returns the stride for a direction.
func stride(n *convert.Node, name string, direction int64) int64 {
	if direction != 0 && direction != 1 {
		n.Fail("attribute %s has the direction %d, expected 0 or 1", name, direction)
	}
	return 1 - 2*direction
}

// scanNode is a Scan since version 9.
func scanNode(n *convert.Node) []convert.Value {
	s := newScan(n, 0, "scan_input_directions")
	if n.Failed() {
		return nil
	}
	length := int64(-1)
	for i, v := range s.sliced {
		shape := n.Shape(v)
		if !shape.RankKnown() {
			continue
		}
		axis := n.Axis(s.axes[i], shape.Rank())
		if n.Failed() {
			return nil
		}
		if d := shape.At(axis); d.IsStatic() {
			if length >= 0 && length != d.Min {
				n.Fail("values of length %d and %d are scanned", length, d.Min)
			}
			length = d.Min
		}
	}
	s.trips = arithmetic.Length(n, s.sliced[0], s.axes[0])
	results := s.add()
	for i, front := range s.atFront {
		if at := len(s.initial) + i; front && at < len(results) && !results[at].Spoiled() {
			results[at] = putBack(n, results[at], s.joinAxes[i])
		}
	}
	return results
}

// scanBatches is Scan-8, which scans each batch by itself: axis 0 of all values has the batches,
// and axis 1 of those that are scanned the elements. Input 0 can have the number of elements of
// each.
func scanBatches(n *convert.Node) []convert.Value {
	inner := newScan(n, 1, "directions")
	if n.Failed() {
		return nil
	}
	all := append(inner.initial[:len(inner.initial):len(inner.initial)], inner.sliced...)
	hasLengths := n.Has(0)
	if hasLengths {
		all = append(all, n.Input(0))
	}
	states := len(inner.initial)
	batches := &loop{
		node: n, trips: arithmetic.Length(n, all[0], 0), condition: n.ValueOf(true), sliced: all, wants: n.Wants,
		slices: make([]ir.BodyPort, len(all)), values: make([]ir.BodyPort, n.Outputs()),
	}
	for i := range batches.slices {
		batches.slices[i] = joined(0, 1)
	}
	for i := range batches.values {
		batches.values[i] = joined(0, 1)
	}
	batches.run = func(body *convert.Body, _ convert.Value, _, parts []convert.Value) (convert.Value, []convert.Value) {
		one := *inner
		one.node, one.condition = body.Node, body.ValueOf(true)
		one.initial, one.sliced = parts[:states], parts[states:states+len(inner.sliced)]
		longest := arithmetic.Length(body.Node, one.sliced[0], 0)
		one.trips = longest
		if hasLengths {
			one.trips = parts[len(parts)-1]
			one.sliced = cut(body.Node, one.sliced, one.trips)
		}
		results := one.add()
		for i := range results {
			if hasLengths && i >= states && n.Wants(i) && !results[i].Spoiled() {
				results[i] = padded(body.Node, results[i], longest)
			}
		}
		if body.Failed() {
			return convert.Value{}, nil
		}
		return convert.Value{}, unsqueezed(body, results, 0, batches.values)
	}
	return batches.add()
}

// cut returns the first elements of values along axis 0, so that they end with the last one even if
// they are scanned backwards.
func cut(n *convert.Node, values []convert.Value, count convert.Value) []convert.Value {
	end := n.Reshape(count, n.IntValues(1), false)
	parts := make([]convert.Value, len(values))
	for i, v := range values {
		parts[i] = n.Layer("Slice", 8, nil, v, n.IntValues(0), end, n.IntValues(1), n.IntValues(0))
	}
	return parts
}

// padded returns v with zeros after its elements, so that axis 0 has a length.
func padded(n *convert.Node, v, length convert.Value) convert.Value {
	rank := n.RequireRank(v, "an output")
	if n.Failed() {
		return v
	}
	added := arithmetic.Subtract(n, length, arithmetic.Length(n, v, 0))
	end := n.Unsqueeze(added, 0)
	if rank > 1 {
		end = n.Concat(0, end, n.IntValues(make([]int64, rank-1)...))
	}
	return arithmetic.Pad(n, v, n.IntValues(make([]int64, rank)...), end, arithmetic.Zero(n, v))
}
