package pooling

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/reduction"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// geometry describes the pooling along three spatial axes.
type geometry struct {
	planes     int // channels of all batches
	axes       window.Volume
	excludePad bool
	beyond     bool // elements of a window beyond the padding count like padding
	// number of elements of data after which the positions of maxima start again at 0
	period int
}

// prepare returns a kernel that iterates over the output planes:
//
//	for each n, c, y...: for each element of the window that lies in data: accumulate it
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(*attributes)
	data := p.InputShape(0)
	output, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	g, err := newGeometry(at, data, output)
	if err != nil {
		return nil, err
	}
	prepared, err := kernelOf(p, g, at.mean)
	if err != nil {
		return nil, err
	}
	prepared.Flops = g.flops()
	return prepared, nil
}

// flops returns the number of elements of all windows. Vector code that reduces windows axis by
// axis needs fewer operations.
func (g *geometry) flops() float64 {
	n := float64(g.planes)
	for i := range g.axes {
		a := &g.axes[i]
		n *= float64(a.Output) * float64(min(a.Kernel, a.Input))
	}
	return n
}

// kernelOf returns the kernel for the type of p.
func kernelOf(p *ops.Preparation, g *geometry, mean bool) (*ops.Prepared, error) {
	switch t := p.Inputs[0].Type; t {
	case ir.F32:
		return f32Kernel(p, g, mean)
	case ir.F64:
		return &ops.Prepared{Kernel: floatKernel(g, mean, -math.MaxFloat64)}, nil
	case ir.U8:
		if prepared, err := byteKernel(p, g); prepared != nil || err != nil {
			return prepared, err
		}
	}
	return &ops.Prepared{Kernel: integerKernel(g, p.Inputs[0].Type)}, nil
}

// byteKernel returns the kernel for maxima of u8 by assembly; nil if there is none, or if their
// positions are wanted.
func byteKernel(p *ops.Preparation, g *geometry) (*ops.Prepared, error) {
	z, y, x := g.windows(0), g.windows(1), g.windows(2)
	if z.Input*z.Output*z.Kernel != 1 || len(p.Outputs) > 1 && (len(p.Unread) < 2 || !p.Unread[1]) {
		return nil, nil
	}
	if err := p.Reserve(reduction.ByteMaximaTableBytes(x)); err != nil {
		return nil, err
	}
	plan := reduction.NewByteMaxima(y, x)
	if plan == nil {
		return nil, nil
	}
	in, out := g.axes.Input(), g.axes.Output()
	part := func(r *ops.Run, lo, hi int) error {
		output, data := ir.Data[uint8](r.Outputs[0]), ir.Data[uint8](r.Inputs[0])
		plan.Planes(r.Stop, output[lo*out:hi*out], data[lo*in:hi*in])
		return nil
	}
	grain := g.grain()
	return &ops.Prepared{Kernel: func(r *ops.Run) error { return r.For(g.planes, grain, part) }}, nil
}

// windows returns the windows along an axis.
func (g *geometry) windows(axis int) reduction.Window {
	a := &g.axes[axis]
	return reduction.Window{Input: a.Input, Output: a.Output, Kernel: a.Kernel, Stride: a.Stride, Dilation: a.Dilation, PadBegin: a.PadBegin}
}

// newGeometry returns the geometry for the shapes of data and output.
func newGeometry(at *attributes, data, output ir.Shape) (*geometry, error) {
	axis, err := index.Axis(at.axis, len(data))
	if err != nil {
		return nil, err
	}
	g := &geometry{planes: data[0] * data[1], excludePad: at.excludePad, period: data[axis:].Elements()}
	kernel := make(ir.Shape, len(at.kernel))
	for i, k := range at.kernel {
		kernel[i] = int(k)
	}
	if g.axes, err = at.Volume(data[2:], kernel, output[2:]); err != nil {
		return nil, err
	}
	if g.axes.Output() == 0 {
		g.planes = 0
	}
	if at.Rounding == "ceil" { // as OpenVINO
		for _, a := range g.axes {
			g.beyond = g.beyond || a.PadBegin != 0 || a.PadEnd != 0
		}
	}
	return g, nil
}

// padded returns the number of elements of a window along an axis, including padding. The
// number along all axes may overflow an int.
func (g *geometry) padded(axis, o int) float64 {
	if g.beyond {
		return float64(g.axes[axis].Kernel)
	}
	return float64(g.axes[axis].Padded(o))
}

// grain returns the number of planes that are worth another thread.
func (g *geometry) grain() int {
	work := float64(g.axes.Output())
	for i := range g.axes {
		work *= float64(min(g.axes[i].Kernel, g.axes[i].Input))
	}
	return ops.Grain(work)
}

// integerKernel returns the kernel of an integer type, which only has maxima.
func integerKernel(g *geometry, t ir.ElementType) ops.Kernel {
	switch t {
	case ir.I32:
		return maxKernel[int32](g, math.MinInt32)
	case ir.I64:
		return maxKernel[int64](g, math.MinInt64)
	case ir.U8:
		return maxKernel[uint8](g, 0)
	default: // u64
		return maxKernel[uint64](g, 0)
	}
}

// maxima are the conversions of the types whose maxima are computed in another type. The maximum of
// a window of padding is the lowest finite number.
var maxima = slices.Concat([]widened.Conversion{
	{From: ir.F16, To: ir.F32, Widen: widened.F16.Widen, Narrow: func(narrow, wide []byte) { narrowFinite(&widened.F16, 0xfc00, narrow, wide) }},
	{From: ir.BF16, To: ir.F32, Widen: widened.BF16.Widen, Narrow: func(narrow, wide []byte) { narrowFinite(&widened.BF16, 0xff80, narrow, wide) }},
}, widened.Saturating[:1], widened.Saturating[2:]) // all but that of u8

// narrowFinite narrows numbers that are not -Inf. Those that round to it, whose bits are inf,
// become the number before it.
func narrowFinite(c *widened.Conversion, inf uint16, narrow, wide []byte) {
	c.Narrow(narrow, wide)
	numbers := cast.Bytes[uint16](narrow)
	for i, v := range numbers {
		if v == inf {
			numbers[i] = inf - 1
		}
	}
}

// floatKernel returns the kernel of a floating-point type that is computed directly.
func floatKernel[T float32 | float64](g *geometry, mean bool, lowest T) ops.Kernel {
	if !mean {
		return maxKernel(g, lowest)
	}
	part := func(r *ops.Run, lo, hi int) error {
		meanPlanes(r.Stop, g, ir.Data[T](r.Outputs[0]), ir.Data[T](r.Inputs[0]), lo, hi)
		return nil
	}
	grain := g.grain()
	return func(r *ops.Run) error { return r.For(g.planes, grain, part) }
}

// f32Kernel returns the kernel of float32, which applies the stages.
func f32Kernel(p *ops.Preparation, g *geometry, mean bool) (*ops.Prepared, error) {
	// In layers with stages, nobody reads the second output.
	if len(p.Outputs) == 1 || len(p.Stages) > 0 || len(p.Unread) > 1 && p.Unread[1] {
		if s, err := newSeparable(p, g, mean); err != nil {
			return nil, err
		} else if s != nil {
			return s.kernel(p)
		}
	}
	finish := p.Finish()
	part := func(r *ops.Run, lo, hi int) error {
		output, n := ir.Data[float32](r.Outputs[0]), g.axes.Output()
		if mean {
			meanPlanes(r.Stop, g, output, ir.Data[float32](r.Inputs[0]), lo, hi)
		} else {
			maxPlanes(r.Stop, g, output, placesOf(r), ir.Data[float32](r.Inputs[0]), -math.MaxFloat32, lo, hi)
		}
		if finish != nil {
			finish(r, output[lo*n:hi*n], lo*n)
		}
		return nil
	}
	grain := g.grain()
	return &ops.Prepared{Kernel: func(r *ops.Run) error { return r.For(g.planes, grain, part) }}, nil
}

// kernel returns the kernel. It divides the rows of all planes among threads.
func (s *separable) kernel(p *ops.Preparation) (*ops.Prepared, error) {
	rows := s.planes * s.axes[0].Output * s.axes[1].Output
	cost := float64(s.planes) * float64(max(s.axes.Input(), s.axes.Output())) / float64(max(rows, 1))
	workers := p.Workers(rows, cost)
	var scratch ops.Scratch
	own := ops.AreasOf[float32](&scratch, workers, s.scratch())
	finish := p.Finish()
	part := func(r *ops.Run, worker, lo, hi int) error {
		s.run(r, ir.Data[float32](r.Outputs[0]), ir.Data[float32](r.Inputs[0]), own.Of(r, worker), lo, hi, finish)
		return nil
	}
	return &ops.Prepared{
		Kernel:       func(r *ops.Run) error { return r.ForWorkers(rows, ops.Grain(cost), workers, part) },
		ScratchBytes: scratch.Bytes(),
	}, nil
}

// maxKernel returns the kernel for maxima. lowest is the lowest finite value of T.
func maxKernel[T cast.Number](g *geometry, lowest T) ops.Kernel {
	part := func(r *ops.Run, lo, hi int) error {
		maxPlanes(r.Stop, g, ir.Data[T](r.Outputs[0]), placesOf(r), ir.Data[T](r.Inputs[0]), lowest, lo, hi)
		return nil
	}
	grain := g.grain()
	return func(r *ops.Run) error { return r.For(g.planes, grain, part) }
}

// placesOf returns the output of positions, if there is one.
func placesOf(r *ops.Run) window.Places {
	if len(r.Outputs) < 2 {
		return window.Places{}
	}
	return window.PlacesOf(r.Outputs[1])
}
