package convolutionbackpropdata

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/window"
)

func infer(in *ops.Inference) error {
	return inferFilters(in, 2, func(data, filters ir.PartialShape) (ir.Dimension, error) {
		d, f := data.At(1), filters.At(0)
		if !d.Compatible(f) {
			return d, faults.Errorf("data %v has %v channels, filters %v takes %v", data, d, filters, f)
		}
		return filters.At(1), nil
	})
}

func inferGroups(in *ops.Inference) error {
	return inferFilters(in, 3, func(data, filters ir.PartialShape) (ir.Dimension, error) {
		groups := filters.At(0)
		if data.RankKnown() && filters.RankKnown() {
			var err error
			if groups, err = window.Groups(groups, filters.At(1), data.At(1)); err != nil {
				return groups, err
			}
		}
		return groups.Mul(filters.At(2)), nil
	})
}

// inferFilters infers the output of a layer. The filters have lead axes before those of the kernel.
// channels returns the number of output channels.
func inferFilters(in *ops.Inference, lead int, channels func(data, filters ir.PartialShape) (ir.Dimension, error)) error {
	at := in.Attributes.(*attributes)
	data, filters, out := in.Inputs[0].Shape, in.Inputs[1].Shape, &in.Outputs[0]
	var err error
	if out.Type, err = window.ConvolutionType(in.Inputs[0].Type, in.Inputs[1].Type); err != nil {
		return err
	}
	out.Shape = ir.UnknownRank
	spatial, err := outputShape(in.Inputs)
	if err != nil {
		return err
	}
	n, err := at.SpatialAxes(data, filters, lead, spatial.Rank())
	if err != nil || n < 0 {
		return err
	}
	if len(at.outputPadding) != 0 && len(at.outputPadding) != n {
		return faults.Errorf("output_padding has %d elements for %d spatial axes", len(at.outputPadding), n)
	}
	c, err := channels(data, filters)
	if err != nil {
		return err
	}
	switch {
	case len(in.Inputs) < 3:
		spatial = ir.ShapeOf(at.Spread(data, filters, n, at.outputPadding)...)
	case !spatial.RankKnown():
		spatial = ir.ShapeOfRank(n)
	case spatial.Rank() != n:
		return faults.Errorf("output_shape has %d elements for %d spatial axes", spatial.Rank(), n)
	}
	dims := append(make([]ir.Dimension, 0, n+2), data.At(0), c)
	out.Shape = ir.ShapeOf(append(dims, spatial.Dims()...)...)
	return nil
}

// outputShape returns the spatial axes of the output that the input output_shape specifies.
func outputShape(inputs []ir.Fact) (ir.PartialShape, error) {
	if len(inputs) < 3 {
		return ir.UnknownRank, nil
	}
	input := &inputs[2]
	if err := check.Integer("output_shape", input.Type); err != nil {
		return ir.PartialShape{}, err
	}
	if err := check.Rank("output_shape", input.Shape, 1); err != nil {
		return ir.PartialShape{}, err
	}
	if err := check.AxisCount("output_shape", input.Shape); err != nil {
		return ir.PartialShape{}, err
	}
	values := input.Intervals()
	if values == nil {
		if !input.Shape.IsStatic() {
			return ir.UnknownRank, nil
		}
		return ir.ShapeOfRank(int(input.Shape.At(0).Min)), nil
	}
	dims := make([]ir.Dimension, len(values))
	for i, v := range values {
		var err error
		if dims[i], err = check.Length(fmt.Sprintf("output_shape[%d]", i), v); err != nil {
			return ir.PartialShape{}, err
		}
	}
	return ir.ShapeOf(dims...), nil
}
