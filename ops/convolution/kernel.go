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
	batch, groups           int
	inChannels, outChannels int // of a group
	axes                    window.Volume
}

// newGeometry reads the shapes of data, filters and output. Filters of a group have
// one axis more in front.
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

// block returns the first input plane and the filter that output plane i is made of,
// each counted in its tensor.
func (g *geometry) block(i int) (in, filter int) {
	return i / g.outChannels * g.inChannels, i % (g.groups * g.outChannels)
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
	compute := planesFunc[T](g)
	part := func(r *ops.Run, lo, hi int) error {
		compute(g, ir.Data[T](r.Outputs[0]), ir.Data[T](r.Inputs[0]), ir.Data[T](r.Inputs[1]), lo, hi)
		return nil
	}
	grain := g.grain()
	return func(r *ops.Run) error { return r.For(g.planes(), grain, part) }
}

// halfKernel computes copies in float32.
func halfKernel[T ~uint16](g *geometry, load func([]float32, []T), store func([]T, []float32)) ops.Kernel {
	split := func(r *ops.Run) (data, filters, output []float32) {
		s := cast.Bytes[float32](r.Scratch)
		n, m := r.Inputs[0].Len(), r.Inputs[1].Len()
		return s[:n], s[n : n+m], s[n+m : n+m+r.Outputs[0].Len()]
	}
	compute := planesFunc[float32](g)
	part := func(r *ops.Run, lo, hi int) error {
		data, filters, output := split(r)
		compute(g, output, data, filters, lo, hi)
		return nil
	}
	grain := g.grain()
	return func(r *ops.Run) error {
		data, filters, output := split(r)
		load(data, ir.Data[T](r.Inputs[0]))
		load(filters, ir.Data[T](r.Inputs[1]))
		if err := r.For(g.planes(), grain, part); err != nil {
			return err
		}
		store(ir.Data[T](r.Outputs[0]), output)
		return nil
	}
}

// planesFunc returns what computes output planes lo to hi-1, counted over batch and
// channels.
func planesFunc[T float32 | float64](g *geometry) func(g *geometry, output, data, filters []T, lo, hi int) {
	if g.inChannels == 1 {
		return depthwise[T]
	}
	return convolve[T]
}
