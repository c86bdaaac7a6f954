package movement

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// sliceRules returns the rules of Slice.
func sliceRules() []convert.Rule {
	return []convert.Rule{
		{Operator: "Slice", Versions: []int{1}, Inputs: count(1), Outputs: count(1), Convert: sliceByAttributes},
		{Operator: "Slice", Versions: []int{10, 11, 13}, Inputs: between(3, 5), Outputs: count(1), Convert: slice},
	}
}

// slice takes the elements from starts to before ends along some axes, by default the first ones,
// in steps that are 1 by default. Starts and ends count from the end if they are negative, and are
// clamped.
func slice(n *convert.Node) []convert.Value {
	starts, ends, axes, steps := n.Input(1), n.Input(2), n.Input(3), n.Input(4)
	if steps.Absent() {
		one := n.Layer("ConvertLike", 1, nil, n.IntValue(1), starts)
		steps = arithmetic.Broadcast(n, one, n.ShapeOf(starts))
	}
	inputs := []convert.Value{n.Input(0), starts, ends, steps}
	if !axes.Absent() {
		inputs = append(inputs, axes)
	}
	return []convert.Value{n.Layer("Slice", 8, nil, inputs...)}
}

// sliceByAttributes is slice by attributes, without steps.
func sliceByAttributes(n *convert.Node) []convert.Value {
	n.RequireAttribute("starts")
	n.RequireAttribute("ends")
	starts, ends := n.IntList("starts"), n.IntList("ends")
	steps := make([]int64, len(starts))
	for i := range steps {
		steps[i] = 1
	}
	inputs := []convert.Value{n.Input(0), n.IntValues(starts...), n.IntValues(ends...), n.IntValues(steps...)}
	if n.HasAttribute("axes") {
		inputs = append(inputs, n.IntValues(n.IntList("axes")...))
	}
	return []convert.Value{n.Layer("Slice", 8, nil, inputs...)}
}

// padRules returns the rules of Pad.
func padRules() []convert.Rule {
	return []convert.Rule{
		{Operator: "Pad", Versions: []int{1, 2}, Inputs: count(1), Outputs: count(1), Convert: padByAttributes},
		{Operator: "Pad", Versions: newAxes(11, 13, 18, 19), Inputs: between(2, 4), Outputs: count(1), Convert: pad},
	}
}

// padByAttributes adds elements around data by attributes, of which the first is called paddings in
// version 1.
func padByAttributes(n *convert.Node) []convert.Value {
	name := "pads"
	if n.Version == 1 {
		name = "paddings"
	}
	n.RequireAttribute(name)
	pads := n.IntList(name)
	if len(pads)%2 != 0 {
		n.Fail("attribute %s has %d numbers, expected two for each axis", name, len(pads))
		return nil
	}
	axes := len(pads) / 2
	value := n.Like(n.Input(0), float64(n.Float("value", 0)))
	return padded(n, n.IntValues(pads[:axes]...), n.IntValues(pads[axes:]...), value)
}

// pad adds elements around data, or removes them if the numbers are negative: the second input has
// those before all axes, then those behind them. Since version 18 axes can be an input.
func pad(n *convert.Node) []convert.Value { return padBy(n, n.Input(1)) }

// padBy is pad with the numbers of pads.
func padBy(n *convert.Node, pads convert.Value) []convert.Value {
	value := n.Input(2)
	switch {
	case value.Absent():
		value = arithmetic.Zero(n, n.Input(0))
	case n.Rank(value) != 0:
		value = n.Reshape(value, n.IntValues(), false)
	}
	halves := n.Split(pads, 0, 2)
	begins, ends := halves[0], halves[1]
	if n.Has(3) {
		axes := n.Input(3)
		zeros := arithmetic.Broadcast(n, n.IntValue(0), n.ShapeOf(n.ShapeOf(n.Input(0))))
		begins, ends = onAxes(n, zeros, axes, begins), onAxes(n, zeros, axes, ends)
	}
	return padded(n, begins, ends, value)
}

// onAxes returns zeros with numbers at the places that axes name.
func onAxes(n *convert.Node, zeros, axes, numbers convert.Value) convert.Value {
	attributes := convert.Attributes("reduction", "none", "use_init_val", true)
	return n.Layer("ScatterElementsUpdate", 12, attributes, zeros, axes, n.Convert(numbers, ir.I64), n.IntValue(0))
}

// padded adds the Pad of a mode.
func padded(n *convert.Node, begins, ends, value convert.Value) []convert.Value {
	mode := n.Enum("mode", "constant", "constant", "edge", "reflect", "wrap")
	if mode == "wrap" {
		return wrapped(n, begins, ends)
	}
	return []convert.Value{n.Layer("Pad", 12, convert.Attributes("pad_mode", mode), n.Input(0), begins, ends, value)}
}

// wrapped repeats data around itself: it takes the elements at all places from -begin to before
// length+end, modulo the length.
func wrapped(n *convert.Node, begins, ends convert.Value) []convert.Value {
	data := n.Input(0)
	lengths := n.ShapeOf(data)
	scalar := func(list convert.Value, axis int64) convert.Value {
		return n.Convert(arithmetic.Gather(n, list, n.IntValue(axis), 0), ir.I64)
	}
	for axis := range int64(n.RequireRank(data, "input 0")) {
		if n.Failed() {
			return nil
		}
		begin, end, length := scalar(begins, axis), scalar(ends, axis), scalar(lengths, axis)
		if arithmetic.IsZero(n, begin) && arithmetic.IsZero(n, end) {
			continue
		}
		from := n.Layer("Negative", 1, nil, begin)
		to := arithmetic.Add(n, length, end)
		places := n.Layer("Range", 4, convert.Attributes("output_type", ir.I64), from, to, n.IntValue(1))
		places = n.Layer("FloorMod", 1, nil, places, length)
		data = arithmetic.Gather(n, data, places, axis)
	}
	return []convert.Value{data}
}
