package batchnorm

import (
	"math"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
	"github.com/vinoir/vinoir/ops/internal/normalize"
)

// elementCost is the cost of an element: vector instructions compute it.
const elementCost = 1.0 / 2

// channel holds the coefficients of a channel.
type channel struct{ mean, factor, beta float64 }

// geometry describes data as planes. Each plane belongs to one channel and has plane elements.
type geometry struct {
	attributes
	channels, plane, planes int
	coefficients            ops.Area[channel]
}

// prepare returns a kernel that first computes a factor for each channel, and then each plane:
//
//	factor = gamma / sqrt(variance+epsilon)
//	output = (data-mean)*factor + beta
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	g := geometry{attributes: p.Attributes.(attributes)}
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	g.channels, g.plane = shape[1], shape[2:].Elements()
	g.planes = shape[0] * g.channels
	var s ops.Scratch
	g.coefficients = ops.AreaOf[channel](&s, g.channels)
	return &ops.Prepared{Kernel: kernelOf(p, g), ScratchBytes: s.Bytes()}, nil
}

// kernelOf returns the kernel for the type of the output.
func kernelOf(p *ops.Preparation, g geometry) ops.Kernel {
	switch p.Outputs[0].Type {
	case ir.F32:
		finish := p.Finish()
		if finish == nil {
			return kernel(g, scale[float32], nil)
		}
		return kernel(g, scale[float32], func(r *ops.Run, lo, hi int) { finish(r, ir.Data[float32](r.Outputs[0])[lo:hi], lo) })
	case ir.F64:
		return kernel(g, scale[float64], nil)
	case ir.F16:
		return kernel(g, scaleF16, nil)
	default: // bf16
		return kernel(g, scaleBF16, nil)
	}
}

// finishElements is the number of elements after which the stages are called. They are still in
// the cache.
const finishElements = 1 << 11

// pieceElements is the number of elements of a plane that are computed between two checks of
// Run.Stop.
const pieceElements = 1 << 18

// kernel returns the kernel of a type. scale computes elements lo to hi-1 of a plane, and finish,
// if not nil, applies the stages to elements lo to hi-1. It is not inlined: each type would have a
// copy, of 7.2 KiB together.
//
//go:noinline
func kernel(g geometry, scale func(out, in *ir.Tensor, lo, hi int, c channel), finish func(r *ops.Run, lo, hi int)) ops.Kernel {
	grain := ops.Grain(elementCost * float64(g.plane))
	part := func(r *ops.Run, lo, hi int) error {
		channels := g.coefficients.In(r)
		finished := lo * g.plane
		for i := lo; i < hi; i++ {
			done := (i + 1) * g.plane
			for at := i * g.plane; at < done && !r.Stop.Requested(); at += pieceElements {
				scale(r.Outputs[0], r.Inputs[g.data], at, min(at+pieceElements, done), channels[i%g.channels])
			}
			if finish != nil && (done-finished >= finishElements || i == hi-1) {
				finish(r, finished, done)
				finished = done
			}
		}
		return nil
	}
	return func(r *ops.Run) error {
		channels := g.coefficients.In(r)
		gamma, beta, mean, variance := r.Inputs[g.gamma], r.Inputs[g.beta], r.Inputs[g.mean], r.Inputs[g.variance]
		meter := r.Stop.Meter()
		for c := range g.channels {
			if meter.Spent(16) {
				return parallel.ErrStopped
			}
			channels[c] = channel{floats.At(mean, c), floats.At(gamma, c) / math.Sqrt(floats.At(variance, c)+g.epsilon), floats.At(beta, c)}
		}
		if g.plane == 0 {
			return nil
		}
		return r.For(g.planes, grain, part)
	}
}

func scale[T normalize.Float](out, in *ir.Tensor, lo, hi int, c channel) {
	normalize.Affine(nil, ir.Data[T](out)[lo:hi], ir.Data[T](in)[lo:hi], T(c.mean), T(c.factor), T(c.beta))
}

// scaleF16 and scaleBF16 round each product, which Affine need not: so they convert each element
// themselves.
func scaleF16(out, in *ir.Tensor, lo, hi int, c channel) {
	mean, factor, beta := float32(c.mean), float32(c.factor), float32(c.beta)
	to := ir.Data[uint16](out)[lo:hi]
	for i, v := range ir.Data[uint16](in)[lo:hi] {
		to[i] = half.F32ToF16((half.F16ToF32(v)-mean)*factor + beta)
	}
}

func scaleBF16(out, in *ir.Tensor, lo, hi int, c channel) {
	mean, factor, beta := float32(c.mean), float32(c.factor), float32(c.beta)
	to := ir.Data[half.BFloat16](out)[lo:hi]
	for i, v := range ir.Data[half.BFloat16](in)[lo:hi] {
		to[i] = half.BFloat16Of((v.Float32()-mean)*factor + beta)
	}
}
