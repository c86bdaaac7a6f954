package slice

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
)

func infer(in *ir.Inference) error {
	if err := check(in.Inputs); err != nil {
		return err
	}
	data, out := in.Inputs[0].Shape, &in.Outputs[0]
	out.Type = in.Inputs[0].Type
	if !data.RankKnown() {
		out.Shape = ir.UnknownRank
		return nil
	}
	axes, known, err := axesOf(in.Inputs)
	if err != nil {
		return err
	}
	starts, stops := in.Inputs[1].Intervals(), in.Inputs[2].Intervals()
	steps, stepsKnown := in.Inputs[3].Ints()
	dims := make([]ir.Dimension, data.Rank())
	for i, d := range data.Dims() {
		dims[i] = d
		if !known {
			dims[i].Min = 0 // any axis may be cut
		}
	}
	for k, axis := range axes {
		if starts == nil || stops == nil || !stepsKnown {
			dims[axis].Min = 0
			continue
		}
		if steps[k] == 0 {
			return fmt.Errorf("step[%d] is 0", k)
		}
		dims[axis] = cut(dims[axis], starts[k], stops[k], steps[k])
	}
	out.Shape = ir.ShapeOf(dims...)
	return nil
}

// check compares the inputs with each other.
func check(inputs []ir.Fact) error {
	data := inputs[0].Shape
	lengths := ir.ShapeOfRank(1)
	for i, input := range inputs[1:] {
		name, s := names[i+1], input.Shape
		if !input.Type.IsInteger() && input.Type != ir.Dynamic {
			return fmt.Errorf("%s is %v, not a type of integers", name, input.Type)
		}
		if s.RankKnown() && s.Rank() != 1 {
			return fmt.Errorf("%s has shape %v, not that of a vector", name, s)
		}
		if s.RankKnown() && data.RankKnown() && s.At(0).Min > int64(data.Rank()) {
			return fmt.Errorf("%s has %v elements, data of shape %v has %d axes", name, s.At(0), data, data.Rank())
		}
		merged, ok := lengths.Merge(s)
		if !ok {
			return fmt.Errorf("%s has shape %v, the inputs before it have %v", name, s, lengths)
		}
		lengths = merged
	}
	return nil
}

// axesOf returns the axis of each start, stop and step, and whether they are known.
func axesOf(inputs []ir.Fact) (axes []int, known bool, err error) {
	if len(inputs) < 5 {
		s := inputs[1].Shape
		if !s.IsStatic() {
			return nil, false, nil
		}
		for i := range s.At(0).Min {
			axes = append(axes, int(i))
		}
		return axes, true, nil
	}
	values, known := inputs[4].Ints()
	if !known {
		return nil, false, nil
	}
	rank := inputs[0].Shape.Rank()
	seen := make([]bool, rank)
	for i, v := range values {
		axis, err := index.Axis(v, rank)
		if err != nil {
			return nil, false, err
		}
		if seen[axis] {
			return nil, false, fmt.Errorf("axes[%d] names axis %d, which an axis before it names too", i, axis)
		}
		seen[axis] = true
		axes = append(axes, axis)
	}
	return axes, true, nil
}

// bounds picks the values of the elements that are kept.
func bounds(in *ir.Inference) {
	values := in.Inputs[0].Intervals()
	shape, err := in.Outputs[0].Shape.Static()
	if values == nil || err != nil || shape.Elements() > len(values) {
		return
	}
	view, err := viewOf(in.Inputs, shape)
	if err != nil {
		return
	}
	kept := make([]ir.Interval, shape.Elements())
	for i := range kept {
		kept[i] = values[view.At(i)]
	}
	in.Outputs[0].Values = kept
}
