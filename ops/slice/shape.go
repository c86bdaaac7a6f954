package slice

import (
	"errors"
	"fmt"
	"math"

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
	starts, stops := ends(&in.Inputs[1]), ends(&in.Inputs[2])
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

// ends returns the values of start or stop. The limits of i32 stand, as those of
// i64, for the ends of an axis however long.
func ends(input *ir.Fact) []ir.Interval {
	values := input.Intervals()
	if input.Type != ir.I32 || values == nil {
		return values
	}
	widen := func(v int64) int64 {
		switch v {
		case math.MaxInt32:
			return math.MaxInt64
		case math.MinInt32:
			return math.MinInt64
		}
		return v
	}
	wide := make([]ir.Interval, len(values))
	for i, v := range values {
		wide[i] = ir.Interval{Min: widen(v.Min), Max: widen(v.Max)}
	}
	return wide
}

// check compares the inputs with each other.
func check(inputs []ir.Fact) error {
	data := inputs[0].Shape
	if data.Rank() == 0 {
		return errors.New("data is a scalar, which has no axis to slice")
	}
	for i, input := range inputs[1:] {
		name, s := names[i+1], input.Shape
		if !input.Type.IsInteger() && input.Type != ir.Dynamic {
			return fmt.Errorf("%s is %v, not a type of integers", name, input.Type)
		}
		if !data.RankKnown() || !s.RankKnown() {
			continue // OpenVINO asks no more where the rank of data is not known
		}
		if s.Rank() != 1 {
			return fmt.Errorf("%s has shape %v, not that of a vector", name, s)
		}
		if s.At(0).Min > int64(data.Rank()) {
			return fmt.Errorf("%s has %v elements, data of shape %v has %d axes", name, s.At(0), data, data.Rank())
		}
	}
	if !data.RankKnown() {
		return nil
	}
	for _, pair := range [][2]int{{1, 2}, {1, 3}, {2, 3}, {1, 4}} {
		if pair[1] == len(inputs) {
			break
		}
		a, b := inputs[pair[0]].Shape, inputs[pair[1]].Shape
		if !a.Compatible(b) {
			return fmt.Errorf("%s has shape %v, %s has %v", names[pair[0]], a, names[pair[1]], b)
		}
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
