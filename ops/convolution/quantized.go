package convolution

import (
	"github.com/vinoir/vinoir/internal/conv/implicit"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// quantized is a QuantizedConvolution.
type quantized struct {
	*geometry
	*window.Quantized
	outside []uint8
}

// quantizedGeometry returns the convolution for window.PrepareQuantized.
func quantizedGeometry(p *ops.Preparation, at *window.QuantizedAttributes, filters *ir.Tensor) (*window.QuantizedConvolution, error) {
	output, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	g, err := newGeometry(at.Of.(*window.Attributes), p.InputShape(0), filters.Shape(), output)
	if err != nil {
		return nil, err
	}
	c := &window.QuantizedConvolution{
		Batch: g.batch, Groups: g.groups, InChannels: g.inChannels, OutChannels: g.outChannels, Axes: g.axes,
		NewPlan: implicit.New, TableBytes: (*implicit.Geometry).TableBytes,
	}
	c.Other = func(of *window.Quantized) (*ops.Prepared, error) {
		q := &quantized{geometry: g, Quantized: of, outside: at.Outside}
		if g.inChannels == 1 && g.groups > 1 {
			if prepared, err := q.depthwise(p, filters); prepared != nil || err != nil {
				return prepared, err
			}
		}
		return q.pointwise(p, filters)
	}
	return c, nil
}
