package stridedslice

import (
	"errors"
	"fmt"
	"math"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/strided"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/slicing"
)

func infer(in *ir.Inference) error {
	data, out := in.Inputs[0].Shape, &in.Outputs[0]
	out.Type = in.Inputs[0].Type
	for i, input := range in.Inputs[1:] {
		if i < 2 && // OpenVINO does not look at the type of strides
			!input.Type.IsInteger() && input.Type != ir.Dynamic {
			return fmt.Errorf("%s is %v, not a type of integers", names[i+1], input.Type)
		}
		if err := check.Rank(names[i+1], input.Shape, 1); err != nil {
			return err
		}
	}
	if !data.RankKnown() {
		out.Shape = ir.UnknownRank
		return nil
	}
	n, err := numberOf(in.Inputs)
	if err != nil {
		return err
	}
	if n < 0 {
		out.Shape = ir.UnknownRank
		return nil
	}
	p, err := planOf(in.Attributes.(attributes), data.Rank(), n)
	if err != nil {
		return err
	}
	dims := make([]ir.Dimension, len(p))
	for i, to := range p {
		switch {
		case to.axis < 0:
			dims[i] = ir.Dim(1)
		case to.entry < 0:
			dims[i] = data.At(to.axis)
		default:
			if dims[i], err = cut(in, data.At(to.axis), to.entry); err != nil {
				return err
			}
		}
	}
	kept := dims[:0]
	for i, d := range dims {
		if !p[i].shrink {
			kept = append(kept, d)
		}
	}
	out.Shape = ir.ShapeOf(kept...)
	return nil
}

// numberOf returns the number of elements of begin, end and strides, -1 where none
// of them tells.
func numberOf(inputs []ir.Fact) (int64, error) {
	n, from := int64(-1), ""
	for i := 1; i < len(inputs); i++ {
		s := inputs[i].Shape
		if !s.IsStatic() {
			continue
		}
		if _, known := inputs[i].Ints(); i == 3 && !known {
			continue // as in OpenVINO, the length of strides tells nothing without its values
		}
		if n >= 0 && s.At(0) != ir.Dim(n) {
			return 0, fmt.Errorf("%s has %v elements, %s has %d", names[i], s.At(0), from, n)
		}
		n, from = s.At(0).Min, names[i]
	}
	return n, nil
}

// place is what an axis of the output, or one that is dropped from it, is: an axis
// of data, -1 for a new one, and the element of begin, end and strides that cuts
// it, -1 for a whole one.
type place struct {
	axis, entry int
	shrink      bool
}

// planOf returns the places for data of the given rank and n elements of begin.
func planOf(at attributes, rank int, n int64) ([]place, error) {
	hidden := 0
	if at.ellipsis.count() == 0 {
		if n > int64(rank+at.newAxis.count()) {
			return nil, fmt.Errorf("begin has %d elements, data has %d axes and new_axis_mask adds %d", n, rank, at.newAxis.count())
		}
	} else if n <= int64(rank+len(at.newAxis)+1) {
		hidden = rank
		for k := range int(n) {
			if !at.ellipsis.has(k) && !at.newAxis.has(k) {
				hidden--
			}
		}
	}
	var p []place
	axis := 0
	for k := 0; int64(k) < n; k++ {
		switch {
		case at.ellipsis.has(k):
			for range hidden {
				p = append(p, place{axis: axis, entry: -1})
				axis++
			}
			continue
		case at.newAxis.has(k):
			p = append(p, place{axis: -1, entry: -1})
			continue
		case axis >= rank:
			return nil, fmt.Errorf("begin has an element %d for axis %d, data has %d axes", k, axis, rank)
		}
		p = append(p, place{axis: axis, entry: k, shrink: at.shrinkAxis.has(k)})
		axis++
	}
	for ; axis < rank; axis++ {
		p = append(p, place{axis: axis, entry: -1})
	}
	return p, nil
}

// cut returns the lengths of what element k of begin, end and strides leaves of an
// axis of length d.
func cut(in *ir.Inference, d ir.Dimension, k int) (ir.Dimension, error) {
	at := in.Attributes.(attributes)
	begins, ends := slicing.Ends(&in.Inputs[1]), slicing.Ends(&in.Inputs[2])
	step, known := stepOf(in.Inputs, k)
	if begins == nil || ends == nil || !known {
		return ir.DimRange(0, d.Max), nil
	}
	if step == 0 {
		return d, fmt.Errorf("strides[%d] is 0", k)
	}
	begin, end := begins[k], ends[k]
	if at.begin.has(k) {
		begin = ir.Interval{}
		if step < 0 {
			begin = ir.Interval{Min: d.Max, Max: d.Max}
		}
	}
	if at.end.has(k) {
		end = ir.Interval{Min: d.Max, Max: d.Max}
		if step < 0 {
			end = ir.Interval{Min: math.MinInt64, Max: math.MinInt64}
			if d.Max != ir.Unbounded {
				end = ir.Interval{Min: -1 - d.Max, Max: -1 - d.Max}
			}
		}
	}
	return slicing.Cut(d, begin, end, step), nil
}

// stepOf returns strides[k], and whether it is known.
func stepOf(inputs []ir.Fact, k int) (step int64, known bool) {
	if len(inputs) < 4 {
		return 1, true
	}
	steps, known := inputs[3].Ints()
	if !known || k >= len(steps) {
		return 0, false
	}
	return steps[k], true
}

// bounds picks the values of the elements that are kept.
func bounds(in *ir.Inference) {
	values := in.Inputs[0].Intervals()
	data, errData := in.Inputs[0].Shape.Static()
	shape, err := in.Outputs[0].Shape.Static()
	if values == nil || errData != nil || err != nil || in.Outputs[0].Shape.Elements().Max > ir.MaxValues {
		return
	}
	view, err := viewOf(in.Attributes.(attributes), in.Inputs, data, shape)
	if err != nil {
		return
	}
	kept := make([]ir.Interval, shape.Elements())
	for i := range kept {
		kept[i] = values[view.At(i)]
	}
	in.Outputs[0].Values = kept
}

// viewOf returns what of data an output of the given shape is.
func viewOf(at attributes, inputs []ir.Fact, data, shape ir.Shape) (strided.View, error) {
	v := strided.View{Lengths: shape, Strides: make([]int, 0, len(shape))}
	begins, beginsKnown := inputs[1].Ints()
	p, err := planOf(at, len(data), int64(len(begins)))
	if err != nil {
		return v, err
	}
	strides := strided.Strides(data)
	for _, from := range p {
		switch {
		case from.axis < 0:
			v.Strides = append(v.Strides, 0)
			continue
		case from.entry < 0:
			v.Strides = append(v.Strides, strides[from.axis])
			continue
		}
		n, stride := int64(data[from.axis]), strides[from.axis]
		step, stepKnown := stepOf(inputs, from.entry)
		if !beginsKnown || !stepKnown {
			return v, errors.New("begin or strides are not known")
		}
		begin := begins[from.entry]
		if from.shrink {
			if at.begin.has(from.entry) {
				begin = 0
			}
			position := index.Resolve(begin, int(n), true)
			if position < 0 {
				return v, fmt.Errorf("begin[%d] is %d, outside of the %d elements of axis %d, which shrink_axis_mask drops", from.entry, begin, n, from.axis)
			}
			v.Offset += position * stride
			continue
		}
		if at.begin.has(from.entry) {
			begin = 0
			if step < 0 {
				begin = math.MaxInt64
			}
		}
		v.Strides = append(v.Strides, stride)
		if last := len(v.Strides) - 1; shape[last] > 0 {
			v.Offset += int(slicing.First(begin, n, step)) * stride
			if shape[last] > 1 { // else the step may be beyond the axis, and its product beyond int
				v.Strides[last] *= int(step)
			}
		}
	}
	return v, nil
}
