package broadcast

import (
	"errors"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/movement"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	return movement.Prepare(p, func(p *ops.Preparation) (strided.View, error) {
		shape, err := p.OutputShape(0)
		if err != nil {
			return strided.View{}, err
		}
		return viewOf(p.Inputs, shape, p.Attributes.(attributes))
	})
}

// viewOf returns a view of data with the shape of the output. The stride is 0 along the axes that
// data is repeated along.
func viewOf(inputs []ir.Fact, shape ir.Shape, at attributes) (strided.View, error) {
	v := strided.View{Lengths: shape, Strides: make([]int, len(shape))}
	data, err := inputs[0].Shape.Static()
	if err != nil {
		return v, err
	}
	first := len(shape) - len(data)
	var mapping []int64
	switch at.modeOf(len(inputs)) {
	case explicit:
		var known bool
		if mapping, known = inputs[2].Ints(); !known {
			return v, errors.New("axes_mapping is not known")
		}
		if len(mapping) < len(data) {
			return v, faults.Errorf("axes_mapping has %d elements, data has %d axes", len(mapping), len(data))
		}
	case pdpd:
		if first, err = firstAxis(len(data), len(shape), at.axis); err != nil {
			return v, err
		}
	}
	strides := strided.Strides(data)
	for i, n := range data {
		axis := first + i
		if mapping != nil {
			axis = int(min(max(mapping[i], -1), int64(len(shape))))
		}
		if n == 1 {
			continue
		}
		if axis < 0 || axis >= len(shape) || n != shape[axis] {
			return v, faults.Errorf("dimension %d of data of shape %v does not broadcast to %v", i, data, shape)
		}
		v.Strides[axis] = strides[i]
	}
	return v, nil
}
