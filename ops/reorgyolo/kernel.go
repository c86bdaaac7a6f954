package reorgyolo

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/movement"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	data := p.InputShape(0)
	view := strided.View{Lengths: []int{0}, Strides: []int{1}}
	if data.Elements() > 0 {
		var err error
		if view, err = viewOf(data, p.Attributes.(attributes).stride); err != nil {
			return nil, err
		}
	}
	return &ops.Prepared{Kernel: movement.Kernel(p.Outputs[0].Type, view)}, nil
}

// viewOf returns the output as a view of data. Its axes are n, the two axes of b, c mod K, y and x.
func viewOf(data ir.Shape, stride int64) (strided.View, error) {
	if int64(data[1])%(stride*stride) != 0 {
		return strided.View{}, faults.Errorf("data %v has %d channels, no multiple of the square of stride %d", data, data[1], stride)
	}
	s := int(stride)
	channels := data[1] / s / s
	row := data[3] * s         // the elements of a row of the image
	plane := row * data[2] * s // and those of a channel
	return strided.View{
		Lengths: []int{data[0], s, s, channels, data[2], data[3]},
		Strides: []int{plane * channels, row, 1, plane, row * s, s},
	}, nil
}
