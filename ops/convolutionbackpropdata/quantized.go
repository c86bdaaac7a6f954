package convolutionbackpropdata

import (
	"github.com/vinoir/vinoir/internal/conv/implicit"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// quantizedGeometry returns the convolution for window.PrepareQuantized.
func quantizedGeometry(p *ops.Preparation, at *window.QuantizedAttributes, filters *ir.Tensor) (*window.QuantizedConvolution, error) {
	output, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	g, err := newGeometry(at.Of.(*attributes), p.InputShape(0), filters.Shape(), output, len(p.Inputs) > 4)
	if err != nil {
		return nil, err
	}
	return &window.QuantizedConvolution{
		Batch: g.batch, Groups: g.groups, InChannels: g.inChannels, OutChannels: g.outChannels, Axes: g.axes, Transposed: true,
		NewPlan: implicit.NewTransposed, TableBytes: (*implicit.Geometry).TransposedTableBytes,
	}, nil
}
