package convolution

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

func infer(in *ops.Inference) error {
	return inferFilters(in, 2, func(data, filters ir.PartialShape) (ir.Dimension, error) {
		d, f := data.At(1), filters.At(1)
		if !d.Compatible(f) {
			return d, faults.Errorf("data %v has %v channels, filters %v has %v", data, d, filters, f)
		}
		return filters.At(0), nil
	})
}

func inferGroups(in *ops.Inference) error {
	return inferFilters(in, 3, func(data, filters ir.PartialShape) (ir.Dimension, error) {
		groups := filters.At(0)
		if data.RankKnown() && filters.RankKnown() {
			var err error
			if groups, err = window.Groups(groups, filters.At(2), data.At(1)); err != nil {
				return groups, err
			}
		}
		return groups.Mul(filters.At(1)), nil
	})
}

// inferFilters infers the output of a convolution. The filters have lead axes before those of the
// kernel. channels returns the number of output channels.
func inferFilters(in *ops.Inference, lead int, channels func(data, filters ir.PartialShape) (ir.Dimension, error)) error {
	w := in.Attributes.(*window.Attributes)
	data, filters, out := &in.Inputs[0], &in.Inputs[1], &in.Outputs[0]
	var err error
	if out.Type, err = window.ConvolutionType(data.Type, filters.Type); err != nil {
		return err
	}
	out.Shape = ir.UnknownRank
	n, err := w.SpatialAxes(data.Shape, filters.Shape, lead, -1)
	if err != nil || n < 0 {
		return err
	}
	c, err := channels(data.Shape, filters.Shape)
	if err != nil {
		return err
	}
	out.Shape, err = w.Convolve(data.Shape, filters.Shape, n, c)
	return err
}
