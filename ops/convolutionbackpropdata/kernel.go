package convolutionbackpropdata

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
	"github.com/vinoir/vinoir/ops/internal/integerconv"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// geometry describes the layer in three dimensions. Its axes are those of the convolution in the
// opposite direction, from output to data: their Input belongs to output, and their Output to data.
type geometry struct {
	batch, groups           int
	inChannels, outChannels int // of a group
	axes                    window.Volume
}

// newGeometry returns the geometry for the shapes of data, filters and output. Filters with groups
// have one more axis in front. outputShape reports whether the input output_shape is connected.
func newGeometry(at *attributes, data, filters, output ir.Shape, outputShape bool) (*geometry, error) {
	g := &geometry{batch: data[0], groups: 1}
	if len(filters) > len(data) {
		g.groups, filters = filters[0], filters[1:]
	}
	g.inChannels, g.outChannels = filters[0], filters[1]
	w := at.Attributes
	if same := w.AutoPad != "valid"; w.AutoPad != "explicit" {
		w.AutoPad, w.PadsBegin, w.PadsEnd = "explicit", nil, nil
		if same && outputShape {
			var err error
			if w.PadsBegin, err = padding(at, data, filters, output); err != nil {
				return nil, err
			}
		}
	}
	var err error
	g.axes, err = w.Volume(output[2:], filters[2:], data[2:])
	return g, err
}

// padding returns the number of elements that same_upper or same_lower cuts off in front to give
// the output its shape.
func padding(at *attributes, data, filters, output ir.Shape) ([]int64, error) {
	n := len(data) - 2
	pads := make([]int64, n)
	if slices.Contains(data, 0) {
		return pads, nil
	}
	for i, length := range at.Spread(data.Partial(), filters.Partial(), n, at.outputPadding) {
		if !length.IsStatic() || length.Max >= math.MaxInt {
			return nil, faults.Errorf("the windows of data %v and filters %v along spatial axis %d are beyond an int", data, filters, i)
		}
		missing := max(length.Min-int64(output[2+i]), 0)
		pads[i] = missing / 2
		if at.AutoPad == "same_upper" {
			pads[i] = missing - missing/2
		}
	}
	return pads, nil
}

// planes returns the number of output planes.
func (g *geometry) planes() int { return g.batch * g.groups * g.outChannels }

// prepare returns a kernel of package conv for float32. The kernel for float64 computes each output
// plane separately. For each element of its filters, it adds an input plane to those
// elements of the output that the filter element contributes to:
//
//	for each n, o, c, k...: shifted output[n,o], every strides-th element, += filters[o,c,k...] * data[n,c]
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	out, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	shapes := [3]ir.Shape{p.InputShape(0), p.InputShape(1), out}
	g, err := newGeometry(p.Attributes.(*attributes), shapes[0], shapes[1], shapes[2], len(p.Inputs) > 2)
	if err != nil {
		return nil, err
	}
	if p.Outputs[0].Type == ir.F32 {
		return prepareFloat32(p, g)
	}
	if p.Outputs[0].Type.IsInteger() {
		return integerconv.Kernel(p, &integerconv.Geometry{
			Batch: g.batch, Groups: g.groups, InChannels: g.inChannels, OutChannels: g.outChannels, Axes: g.axes, Transposed: true,
		}, func(p *ops.Preparation) (*ops.Prepared, error) { return prepareFloat32(p, g) })
	}
	prepared := direct(p, g)
	if g.planes() > 0 {
		prepared.Flops = 2 * float64(g.planes()) * float64(g.axes.Output()) * float64(g.inChannels)
		for i := range g.axes {
			prepared.Flops *= float64(g.axes[i].Kernel)
		}
	}
	return prepared, nil
}

// spread returns a function that computes output planes lo to hi-1, counted over batch and
// channels.
func spread[T float32 | float64](g *geometry) floats.Func[T] {
	outPlane, inPlane := g.axes.Input(), g.axes.Output()
	kernel := g.axes[0].Kernel * g.axes[1].Kernel * g.axes[2].Kernel
	return func(stop parallel.Stop, output, data, filters []T, lo, hi int) {
		meter := stop.Meter()
		if outPlane == 0 {
			return
		}
		for i := lo; i < hi; i++ {
			out := output[i*outPlane : (i+1)*outPlane]
			parallel.Clear(stop, out)
			if inPlane == 0 {
				continue
			}
			group, o := i/g.outChannels, i%g.outChannels
			for c := 0; c < g.inChannels; c += window.RowsAtOnce {
				in := data[(group*g.inChannels+c)*inPlane:]
				filter := filters[((group%g.groups*g.inChannels+c)*g.outChannels+o)*kernel:]
				window.AddPlanes(&g.axes, &meter, out, in, filter, min(g.inChannels-c, window.RowsAtOnce), g.outChannels*kernel, true)
				if stop.Requested() {
					return
				}
			}
		}
	}
}
