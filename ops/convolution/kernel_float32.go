package convolution

import (
	"slices"

	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/conv/depthwise"
	"github.com/vinoir/vinoir/internal/conv/implicit"
	"github.com/vinoir/vinoir/internal/conv/pointwise"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// taps returns the number of elements of a filter for one channel.
func (g *geometry) taps() int { return g.axes[0].Kernel * g.axes[1].Kernel * g.axes[2].Kernel }

// prepareFloat32 returns the kernel for float32. It applies the stages.
func prepareFloat32(p *ops.Preparation, g *geometry) (*ops.Prepared, error) {
	outPlane := g.axes.Output()
	if g.planes()*outPlane == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	}
	prepared, err := chooseFloat32(p, g)
	if err != nil {
		return nil, err
	}
	prepared.Flops = 2 * float64(g.planes()) * float64(outPlane) * float64(g.inChannels) * float64(g.taps())
	return prepared, nil
}

// chooseFloat32 chooses the kernel for a convolution whose output is not empty.
func chooseFloat32(p *ops.Preparation, g *geometry) (*ops.Prepared, error) {
	switch {
	case g.inChannels*g.taps() == 0:
		return &ops.Prepared{Kernel: zeros(p)}, nil
	case g.isVector():
		return newVector(p, g), nil
	case g.isPadded():
		return window.IfFinite(p, func() (*ops.Prepared, error) { return fastest(p, g) }, func() (*ops.Prepared, error) { return direct(p, g), nil })
	}
	return fastest(p, g)
}

// fastest returns the fastest kernel for finite filters: the first of the plans that is not nil.
func fastest(p *ops.Preparation, g *geometry) (*ops.Prepared, error) {
	epilogue, err := window.Epilogue(p, nil, g.groups*g.outChannels, g.axes.Output())
	if err != nil {
		return nil, err
	}
	var prepared *ops.Prepared
	for _, plan := range []plan{depthwise32, winograd32, pairs, pointwise32, product} {
		if prepared, err = plan(p, g, epilogue); prepared != nil || err != nil {
			break
		}
	}
	return prepared, err
}

// plan returns the kernel of one way to compute a convolution with an epilogue; nil if it does not
// suit the layer, or does not pay.
type plan func(p *ops.Preparation, g *geometry, epilogue func(*ops.Run) *conv.Epilogue) (*ops.Prepared, error)

// pointwise returns the shape of a convolution of one group with windows of one element, strides of
// 1 and no padding; false for others.
func (g *geometry) pointwise() (s pointwise.Shape, ok bool) {
	for i := range g.axes {
		if a := &g.axes[i]; a.Kernel != 1 || a.Input != a.Output || a.PadBegin != 0 || a.Stride != 1 && a.Output > 1 {
			return s, false
		}
	}
	return pointwise.Shape{Batch: g.batch, In: g.inChannels, Out: g.outChannels, Plane: g.axes.Output()}, g.groups == 1
}

// pointwise32 is the plan for windows of one element and few channels. Its epilogue takes a sum
// too.
func pointwise32(p *ops.Preparation, g *geometry, _ func(*ops.Run) *conv.Epilogue) (*ops.Prepared, error) {
	s, ok := g.pointwise()
	if !ok {
		return nil, nil
	}
	d := pointwise.New(s, p.Threads)
	if d == nil {
		return nil, nil
	}
	epilogue, err := window.SumEpilogue(p, s.Out, s.Plane)
	if err != nil {
		return nil, err
	}
	return window.Planes(p, d, "pointwise", epilogue), nil
}

// isPadded reports whether a window reaches beyond the input.
func (g *geometry) isPadded() bool {
	return slices.ContainsFunc(g.axes[:], func(a window.Axis) bool {
		return a.PadBegin > 0 || (a.Output-1)*a.Stride+(a.Kernel-1)*a.Dilation-a.PadBegin >= a.Input
	})
}

// zeros returns the kernel for windows without elements: all sums are 0.
func zeros(p *ops.Preparation) ops.Kernel {
	return p.Finished(func(r *ops.Run) error {
		parallel.Clear(r.Stop, ir.Data[float32](r.Outputs[0]))
		return nil
	})
}

// direct returns the kernel that adds rows of data to rows of the output.
func direct(p *ops.Preparation, g *geometry) *ops.Prepared {
	return window.Direct(p, g.planes(), g.axes.Grain(g.inChannels), convolve[float32](g), convolve[float64](g))
}

// product is the plan for all layers, which multiplies the filters by a matrix of windows.
func product(p *ops.Preparation, g *geometry, epilogue func(*ops.Run) *conv.Epilogue) (*ops.Prepared, error) {
	c := &implicit.Geometry{Batch: g.batch, Groups: g.groups, In: g.inChannels, Out: g.outChannels, Axes: g.axes.Axes()}
	if err := p.Reserve(c.TableBytes()); err != nil {
		return nil, err
	}
	if p.Inputs[1].Tensor != nil {
		if err := p.Reserve(c.RegionTableBytes()); err != nil {
			return nil, err
		}
		if m := implicit.NewRegions(c, p.Threads); m != nil {
			return window.Product(p, m, "implicit GEMM of regions", epilogue)
		}
	}
	m := implicit.New(p.Stop, c, gemm.New().Lanes(), p.Threads, p.Inputs[1].Tensor != nil)
	if m == nil {
		return direct(p, g), nil
	}
	return window.Product(p, m, "implicit GEMM", epilogue)
}

// depthwise32 is the plan for groups of one channel with the windows that package conv supports.
func depthwise32(p *ops.Preparation, g *geometry, epilogue func(*ops.Run) *conv.Epilogue) (*ops.Prepared, error) {
	if g.inChannels != 1 || g.groups == 1 {
		return nil, nil
	}
	shape := depthwise.Shape{Batch: g.batch, Channels: g.groups, Multiplier: g.outChannels, Axes: g.axes.Axes()}
	if err := p.Reserve(shape.TableBytes()); err != nil {
		return nil, err
	}
	d := depthwise.New(shape)
	if d == nil {
		return nil, nil
	}
	return window.Planes(p, d, "depthwise", epilogue), nil
}
