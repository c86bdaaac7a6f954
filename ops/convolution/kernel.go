package convolution

import (
	"fmt"
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// geometry is the convolution in three dimensions.
type geometry struct {
	batch, inChannels, outChannels int
	axes                           window.Volume
}

// newGeometry reads the shapes of data, filters and output.
func newGeometry(w *window.Attributes, data, filters, output ir.Shape) (*geometry, error) {
	g := &geometry{batch: data[0], inChannels: data[1], outChannels: filters[0]}
	var err error
	g.axes, err = w.Volume(data[2:], filters[2:], output[2:])
	return g, err
}

// minPart is the number of multiplications that are worth a thread.
const minPart = 1 << 15

// grain returns the number of output planes that are worth a thread.
func (g *geometry) grain() int {
	work := float64(g.axes.Output()) * float64(g.inChannels)
	for i := range g.axes {
		work *= float64(g.axes[i].Kernel)
	}
	return int(minPart/max(work, 1)) + 1
}

// prepare returns a kernel that computes each output plane by adding, for each
// element of its filter, the part of an input plane that the element meets:
//
//	for each n, o, c, k...: output[n,o] += filters[o,c,k...] * shifted data[n,c]
func prepare(p *ops.Preparation) (ops.Kernel, error) {
	var shapes [3]ir.Shape
	for i, fact := range []*ir.Fact{&p.Inputs[0], &p.Inputs[1], &p.Outputs[0]} {
		var err error
		if shapes[i], err = fact.Shape.Static(); err != nil {
			return nil, err
		}
	}
	data, filters, output := shapes[0], shapes[1], shapes[2]
	g, err := newGeometry(p.Attributes.(*window.Attributes), data, filters, output)
	if err != nil {
		return nil, err
	}
	switch t := p.Outputs[0].Type; t {
	case ir.F32:
		return wholeKernel[float32](g), nil
	case ir.F64:
		return wholeKernel[float64](g), nil
	case ir.F16, ir.BF16:
		elements := float64(data.Elements()) + float64(filters.Elements()) + float64(output.Elements())
		if elements > math.MaxInt/4 {
			return nil, fmt.Errorf("%v elements as float32 are more than fit memory", elements)
		}
		p.ScratchBytes = 4 * (data.Elements() + filters.Elements() + output.Elements())
		if t == ir.F16 {
			return halfKernel(g, half.F16sToF32s, half.F32sToF16s), nil
		}
		return halfKernel(g, half.BF16sToF32s, half.F32sToBF16s), nil
	default:
		return nil, fmt.Errorf("data is %v, which is not computed", t)
	}
}

// wholeKernel computes in the tensors' own type.
func wholeKernel[T float32 | float64](g *geometry) ops.Kernel {
	part := func(r *ops.Run, lo, hi int) error {
		convolve(g, ir.Data[T](r.Outputs[0]), ir.Data[T](r.Inputs[0]), ir.Data[T](r.Inputs[1]), lo, hi)
		return nil
	}
	grain := g.grain()
	return func(r *ops.Run) error { return r.For(g.batch*g.outChannels, grain, part) }
}

// halfKernel computes copies in float32.
func halfKernel[T ~uint16](g *geometry, load func([]float32, []T), store func([]T, []float32)) ops.Kernel {
	split := func(r *ops.Run) (data, filters, output []float32) {
		s := cast.Bytes[float32](r.Scratch)
		n, m := r.Inputs[0].Len(), r.Inputs[1].Len()
		return s[:n], s[n : n+m], s[n+m : n+m+r.Outputs[0].Len()]
	}
	part := func(r *ops.Run, lo, hi int) error {
		data, filters, output := split(r)
		convolve(g, output, data, filters, lo, hi)
		return nil
	}
	grain := g.grain()
	return func(r *ops.Run) error {
		data, filters, output := split(r)
		load(data, ir.Data[T](r.Inputs[0]))
		load(filters, ir.Data[T](r.Inputs[1]))
		if err := r.For(g.batch*g.outChannels, grain, part); err != nil {
			return err
		}
		store(ir.Data[T](r.Outputs[0]), output)
		return nil
	}
}

// group is the number of input channels that are added at once: each of them then
// costs a quarter of the loads and stores of the output.
const group = 4

// convolve computes output planes lo to hi-1, counted over batch and channels.
func convolve[T float32 | float64](g *geometry, output, data, filters []T, lo, hi int) {
	outPlane, inPlane := g.axes.Output(), g.axes.Input()
	kernel := g.axes[0].Kernel * g.axes[1].Kernel * g.axes[2].Kernel
	if outPlane == 0 {
		return
	}
	for i := lo; i < hi; i++ {
		out := output[i*outPlane : (i+1)*outPlane]
		clear(out)
		in := data[i/g.outChannels*g.inChannels*inPlane:][:g.inChannels*inPlane]
		filter := filters[i%g.outChannels*g.inChannels*kernel:][:g.inChannels*kernel]
		for c := g.inChannels; c > 0; c -= group {
			n := min(c, group)
			addPlanes(g, out, in, filter, n)
			in, filter = in[n*inPlane:], filter[n*kernel:]
		}
	}
}

// addPlanes adds the convolution of the first n input planes, up to group of
// them, with their filters.
func addPlanes[T float32 | float64](g *geometry, out, in, filter []T, n int) {
	z, y, x := &g.axes[0], &g.axes[1], &g.axes[2]
	plane, kernel := g.axes.Input(), z.Kernel*y.Kernel*x.Kernel
	for k := range kernel {
		kz, ky, kx := k/(y.Kernel*x.Kernel), k/x.Kernel%y.Kernel, k%x.Kernel
		zLo, zHi, zFirst := z.Range(kz)
		yLo, yHi, yFirst := y.Range(ky)
		xLo, xHi, xFirst := x.Range(kx)
		if xLo == xHi {
			continue
		}
		for oz := zLo; oz < zHi; oz++ {
			for oy := yLo; oy < yHi; oy++ {
				from := in[((oz*z.Stride+zFirst)*y.Input+oy*y.Stride+yFirst)*x.Input+xLo*x.Stride+xFirst:]
				to := out[(oz*y.Output+oy)*x.Output:][xLo:xHi]
				if n == group {
					weights := [group]T{filter[k], filter[kernel+k], filter[2*kernel+k], filter[3*kernel+k]}
					addRows(to, from, from[plane:], from[2*plane:], from[3*plane:], weights, x.Stride)
					continue
				}
				for c := range n {
					addRow(to, from[c*plane:], filter[c*kernel+k], x.Stride)
				}
			}
		}
	}
}

// addRow adds weight times every stride-th element of in to out.
func addRow[T float32 | float64](out, in []T, weight T, stride int) {
	if stride == 1 {
		in = in[:len(out)]
		for i := range out {
			out[i] += weight * in[i]
		}
		return
	}
	for i := range out {
		out[i] += weight * in[i*stride]
	}
}

// addRows is addRow for as many rows as weights.
func addRows[T float32 | float64](out, a, b, c, d []T, weights [group]T, stride int) {
	v, w, x, y := weights[0], weights[1], weights[2], weights[3]
	if stride == 1 {
		a, b, c, d = a[:len(out)], b[:len(out)], c[:len(out)], d[:len(out)]
		for i := range out {
			out[i] += v*a[i] + w*b[i] + x*c[i] + y*d[i]
		}
		return
	}
	for i := range out {
		j := i * stride
		out[i] += v*a[j] + w*b[j] + x*c[j] + y*d[j]
	}
}
