package convolutionbackpropdata

import (
	"fmt"
	"math"
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// geometry is the layer in three dimensions. Its axes are those of the convolution
// that makes data's shape of the output's: their Input is the output.
type geometry struct {
	batch, groups           int
	inChannels, outChannels int // of a group
	axes                    window.Volume
}

// newGeometry reads the shapes of data, filters and output. Filters of a group have
// one axis more in front.
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

// padding returns the elements that same_upper and same_lower cut off in front so
// that the output has its shape.
func padding(at *attributes, data, filters, output ir.Shape) ([]int64, error) {
	n := len(data) - 2
	pads := make([]int64, n)
	if slices.Contains(data, 0) {
		return pads, nil
	}
	for i, length := range at.Spread(data.Partial(), filters.Partial(), n, at.outputPadding) {
		if !length.IsStatic() || length.Max >= math.MaxInt {
			return nil, fmt.Errorf("the windows of data %v and filters %v along spatial axis %d are beyond an int", data, filters, i)
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

// prepare returns the kernel of package conv for float32. That of the other types
// computes each output plane by adding, for each element of its filters, an input plane
// to the elements of the output that it falls on:
//
//	for each n, o, c, k...: shifted output[n,o], every strides-th element, += filters[c,o,k...] * data[n,c]
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	var shapes [3]ir.Shape
	for i, fact := range []*ir.Fact{&p.Inputs[0], &p.Inputs[1], &p.Outputs[0]} {
		var err error
		if shapes[i], err = fact.Shape.Static(); err != nil {
			return nil, err
		}
	}
	g, err := newGeometry(p.Attributes.(*attributes), shapes[0], shapes[1], shapes[2], len(p.Inputs) > 2)
	if err != nil {
		return nil, err
	}
	if p.Outputs[0].Type == ir.F32 {
		return prepareFloat32(p, g)
	}
	return direct(p, g)
}

// spread computes output planes, counted over batch and channels.
func spread[T float32 | float64](g *geometry) floats.Func[T] {
	outPlane, inPlane := g.axes.Input(), g.axes.Output()
	kernel := g.axes[0].Kernel * g.axes[1].Kernel * g.axes[2].Kernel
	return func(output, data, filters []T, lo, hi int) {
		if outPlane == 0 {
			return
		}
		for i := lo; i < hi; i++ {
			out := output[i*outPlane : (i+1)*outPlane]
			clear(out)
			if inPlane == 0 {
				continue
			}
			group, o := i/g.outChannels, i%g.outChannels
			for c := 0; c < g.inChannels; c += window.RowsAtOnce {
				in := data[(group*g.inChannels+c)*inPlane:]
				filter := filters[((group%g.groups*g.inChannels+c)*g.outChannels+o)*kernel:]
				addPlanes(g, out, in, filter, min(g.inChannels-c, window.RowsAtOnce))
			}
		}
	}
}

// addPlanes adds to an output plane what the first n input planes, up to RowsAtOnce
// of them, make of their filters, which stand outChannels apart.
func addPlanes[T float32 | float64](g *geometry, out, in, filter []T, n int) {
	z, y, x := &g.axes[0], &g.axes[1], &g.axes[2]
	plane, kernel := g.axes.Output(), z.Kernel*y.Kernel*x.Kernel
	apart := g.outChannels * kernel
	for k := range kernel {
		kz, ky, kx := k/(y.Kernel*x.Kernel), k/x.Kernel%y.Kernel, k%x.Kernel
		zLo, zHi, zFirst := z.Range(kz)
		yLo, yHi, yFirst := y.Range(ky)
		xLo, xHi, xFirst := x.Range(kx)
		if xLo == xHi {
			continue
		}
		for iz := zLo; iz < zHi; iz++ {
			for iy := yLo; iy < yHi; iy++ {
				from := in[(iz*y.Output+iy)*x.Output+xLo:]
				to := out[((iz*z.Stride+zFirst)*y.Input+iy*y.Stride+yFirst)*x.Input+xLo*x.Stride+xFirst:]
				if n == window.RowsAtOnce {
					weights := [window.RowsAtOnce]T{filter[k], filter[apart+k], filter[2*apart+k], filter[3*apart+k]}
					window.AddRows(to, from, from[plane:], from[2*plane:], from[3*plane:], xHi-xLo, weights, x.Stride, 1)
					continue
				}
				for c := range n {
					window.AddRow(to, from[c*plane:], xHi-xLo, filter[c*apart+k], x.Stride, 1)
				}
			}
		}
	}
}
