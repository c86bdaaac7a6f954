package convolution

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/integerconv"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// geometry describes a convolution in three dimensions.
type geometry struct {
	batch, groups           int
	inChannels, outChannels int // of a group
	axes                    window.Volume
}

// newGeometry returns the geometry for the shapes of data, filters and output. Filters with groups
// have one more axis in front.
func newGeometry(w *window.Attributes, data, filters, output ir.Shape) (*geometry, error) {
	g := &geometry{batch: data[0], groups: 1}
	if len(filters) > len(data) {
		g.groups, filters = filters[0], filters[1:]
	}
	g.outChannels, g.inChannels = filters[0], filters[1]
	var err error
	g.axes, err = w.Volume(data[2:], filters[2:], output[2:])
	return g, err
}

// planes returns the number of output planes.
func (g *geometry) planes() int { return g.batch * g.groups * g.outChannels }

// block returns the index of the first input plane and of the filter for output plane i. Both are
// counted over the whole tensor.
func (g *geometry) block(i int) (in, filter int) {
	return i / g.outChannels * g.inChannels, i % (g.groups * g.outChannels)
}

// prepare returns a kernel of package conv for float32. The kernel for float64 computes each output
// plane separately. For each element of the filter, it adds the part of the input plane
// under that element:
//
//	for each n, o, c, k...: output[n,o] += filters[o,c,k...] * shifted data[n,c]
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	out, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	shapes := [3]ir.Shape{p.InputShape(0), p.InputShape(1), out}
	g, err := newGeometry(p.Attributes.(*window.Attributes), shapes[0], shapes[1], shapes[2])
	if err != nil {
		return nil, err
	}
	if p.Outputs[0].Type == ir.F32 {
		return prepareFloat32(p, g)
	}
	if p.Outputs[0].Type.IsInteger() {
		return integerconv.Kernel(p, &integerconv.Geometry{
			Batch: g.batch, Groups: g.groups, InChannels: g.inChannels, OutChannels: g.outChannels, Axes: g.axes,
		}, func(p *ops.Preparation) (*ops.Prepared, error) { return prepareFloat32(p, g) })
	}
	prepared := direct(p, g)
	if g.inChannels == 1 {
		prepared = window.Direct(p, g.planes(), g.axes.Grain(g.inChannels), nil, depthwiseRows(g))
	}
	if g.planes() > 0 {
		prepared.Flops = 2 * float64(g.planes()) * float64(g.axes.Output()) * float64(g.inChannels) * float64(g.taps())
	}
	return prepared, nil
}
