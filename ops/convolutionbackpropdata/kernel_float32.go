package convolutionbackpropdata

import (
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/conv/depthwise"
	"github.com/vinoir/vinoir/internal/conv/implicit"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// prepareFloat32 returns the kernel for float32. It applies the stages.
func prepareFloat32(p *ops.Preparation, g *geometry) (*ops.Prepared, error) {
	outPlane, inPlane := g.axes.Input(), g.axes.Output()
	if g.planes()*outPlane == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	}
	taps := float64(g.axes[0].Kernel) * float64(g.axes[1].Kernel) * float64(g.axes[2].Kernel)
	prepared, err := chooseFloat32(p, g, float64(g.inChannels)*taps == 0)
	if err != nil {
		return nil, err
	}
	prepared.Flops = 2 * float64(g.planes()) * float64(inPlane) * float64(g.inChannels) * taps
	return prepared, nil
}

// chooseFloat32 chooses the kernel for a layer whose output is not empty. empty means that the
// filters have no elements. The lengths of their axes can be arbitrarily large then.
func chooseFloat32(p *ops.Preparation, g *geometry, empty bool) (*ops.Prepared, error) {
	if empty {
		return direct(p, g), nil
	}
	exact := func() (*ops.Prepared, error) { return direct(p, g), nil }
	fast := func() (*ops.Prepared, error) { return fastest(p, g) }
	if g.isInside() {
		return fast()
	}
	return window.IfFinite(p, fast, exact)
}

// isInside reports whether no element of the output reads beyond the data: if the filters have one
// element, and each element of the output that it contributes to has one in the data.
func (g *geometry) isInside() bool {
	for i := range g.axes {
		if a := &g.axes[i]; a.Kernel != 1 || a.PadBegin != 0 || (a.Input+a.Stride-1)/a.Stride > a.Output {
			return false
		}
	}
	return true
}

// fastest returns the fastest kernel for finite filters.
func fastest(p *ops.Preparation, g *geometry) (*ops.Prepared, error) {
	epilogue, err := window.Epilogue(p, nil, g.groups*g.outChannels, g.axes.Input())
	if err != nil {
		return nil, err
	}
	if g.inChannels == 1 && (g.groups > 1 || g.outChannels == 1) {
		if prepared, err := depthwise32(p, g, epilogue); prepared != nil || err != nil {
			return prepared, err
		}
	}
	return product(p, g, epilogue)
}

// depthwise32 returns the kernel for groups of one channel; nil if package conv does not support
// the window.
func depthwise32(p *ops.Preparation, g *geometry, epilogue func(*ops.Run) *conv.Epilogue) (*ops.Prepared, error) {
	shape := depthwise.Shape{Batch: g.batch, Channels: g.groups, Multiplier: g.outChannels, Axes: g.axes.Axes()}
	if err := p.Reserve(shape.TransposedTableBytes()); err != nil {
		return nil, err
	}
	d := depthwise.NewTransposed(shape)
	if d == nil {
		return nil, nil
	}
	return window.Planes(p, d, "depthwise", epilogue), nil
}

// product returns the kernel that multiplies the filters by a matrix of the data.
func product(p *ops.Preparation, g *geometry, epilogue func(*ops.Run) *conv.Epilogue) (*ops.Prepared, error) {
	c := &implicit.Geometry{Batch: g.batch, Groups: g.groups, In: g.inChannels, Out: g.outChannels, Axes: g.axes.Axes()}
	if err := p.Reserve(c.TransposedTableBytes()); err != nil {
		return nil, err
	}
	m := implicit.NewTransposed(p.Stop, c, gemm.New().Lanes(), p.Threads, p.Inputs[1].Tensor != nil)
	if m == nil {
		return direct(p, g), nil
	}
	return window.Product(p, m, "implicit GEMM", epilogue)
}

// direct returns the kernel that adds rows of data to rows of the output.
func direct(p *ops.Preparation, g *geometry) *ops.Prepared {
	return window.Direct(p, g.planes(), g.axes.Grain(g.inChannels), spread[float32](g), spread[float64](g))
}
