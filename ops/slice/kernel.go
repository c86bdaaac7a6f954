package slice

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/strided"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func prepare(p *ops.Preparation) (ops.Kernel, error) {
	shape, err := p.Outputs[0].Shape.Static()
	if err != nil {
		return nil, err
	}
	view := strided.View{Lengths: shape}
	if shape.Elements() > 0 {
		if view, err = viewOf(p.Inputs, shape); err != nil {
			return nil, err
		}
	} else {
		view.Strides = make([]int, len(shape))
	}
	c := strided.Copy(p.Outputs[0].Type, view)
	part := func(r *ops.Run, lo, hi int) error {
		c.Run(r.Outputs[0], r.Inputs[0], lo, hi)
		return nil
	}
	return func(r *ops.Run) error { return r.For(c.Rows, c.Grain, part) }, nil
}

// viewOf returns what of data an output of the given shape, not an empty one, is.
func viewOf(inputs []ir.Fact, shape ir.Shape) (strided.View, error) {
	var v strided.View
	data, err := inputs[0].Shape.Static()
	if err != nil {
		return v, err
	}
	axes, known, err := axesOf(inputs)
	if err != nil {
		return v, err
	}
	starts, startsKnown := inputs[1].Ints()
	steps, stepsKnown := inputs[3].Ints()
	if !known || !startsKnown || !stepsKnown {
		return v, fmt.Errorf("start, step or axes are not known")
	}
	v.Lengths, v.Strides = shape, strided.Strides(data)
	for k, axis := range axes {
		n := int64(data[axis])
		start := clamp(starts[k], n, 0, n)
		if steps[k] < 0 {
			start = clamp(starts[k], n, 0, n-1)
		}
		v.Offset += int(start) * v.Strides[axis]
		if shape[axis] > 1 { // else the step may be beyond the axis, and its product beyond int
			v.Strides[axis] *= int(steps[k])
		}
	}
	return v, nil
}
