package stridedslice

import (
	"errors"
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/movement"
	"github.com/vinoir/vinoir/ops/internal/slicing"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	data := p.InputShape(0)
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	view, err := viewOf(p.Attributes.(attributes), p.Inputs, data, shape)
	if err != nil {
		return nil, err
	}
	return &ops.Prepared{Kernel: movement.Kernel(p.Outputs[0].Type, view), MovedBytes: p.PickedBytes()}, nil
}

// viewOf returns the view of data that an output of the given shape is a copy of.
func viewOf(at attributes, inputs []ir.Fact, data, shape ir.Shape) (strided.View, error) {
	v := strided.View{Lengths: shape, Strides: make([]int, 0, len(shape))}
	begins, known := inputs[1].Ints()
	var steps []int64
	if known && len(inputs) > 3 {
		steps, known = inputs[3].Ints()
	}
	if !known || steps != nil && len(steps) != len(begins) {
		return v, errors.New("begin or strides are not known")
	}
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
		begin, step := begins[from.entry], int64(1)
		if len(inputs) > 3 {
			step = steps[from.entry]
		}
		if from.shrink {
			if at.begin.has(from.entry) {
				begin = 0
			}
			position := index.Resolve(begin, int(n), true)
			if position < 0 {
				return v, faults.Errorf("begin[%d] is %d, outside of the %d elements of axis %d, which shrink_axis_mask drops", from.entry, begin, n, from.axis)
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
			// otherwise the step can be longer than the axis, and the product can overflow
			if shape[last] > 1 {
				v.Strides[last] *= int(step)
			}
		}
	}
	return v, nil
}
