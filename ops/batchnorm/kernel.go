package batchnorm

import (
	"fmt"
	"math"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/rows"
)

// grain is the number of elements that are worth a thread.
const grain = 1 << 15

// geometry is data as planes of one channel each.
type geometry struct {
	attributes
	channels, plane, planes int
}

// prepare returns a kernel that first makes one factor and one summand of each
// channel's vectors, then walks the planes:
//
//	factor = gamma / sqrt(variance+epsilon), summand = beta - mean*factor
//	output = data*factor + summand
func prepare(p *ops.Preparation) (ops.Kernel, error) {
	g := geometry{attributes: p.Attributes.(attributes)}
	shape, err := p.Outputs[0].Shape.Static()
	if err != nil {
		return nil, err
	}
	g.channels, g.plane = shape[1], shape[2:].Elements()
	g.planes = shape[0] * g.channels
	if g.channels > math.MaxInt/16 {
		return nil, fmt.Errorf("%d channels are more than fit memory", g.channels)
	}
	p.ScratchBytes = 16 * g.channels
	switch t := p.Outputs[0].Type; t {
	case ir.F32:
		return kernel(g, func(v float32) float64 { return float64(v) }, scale[float32]), nil
	case ir.F64:
		return kernel(g, func(v float64) float64 { return v }, scale[float64]), nil
	case ir.F16:
		return kernel(g, func(v uint16) float64 { return float64(half.F16ToF32(v)) }, scaleF16), nil
	case ir.BF16:
		return kernel(g, func(v half.BFloat16) float64 { return float64(v.Float32()) }, scaleBF16), nil
	default:
		return nil, fmt.Errorf("data is %v, which is not computed", t)
	}
}

// kernel returns the kernel for elements T: load widens one of a channel's values,
// scale computes a plane.
func kernel[T ir.Element](g geometry, load func(T) float64, scale func(out, in []T, factor, summand float64)) ops.Kernel {
	part := func(r *ops.Run, lo, hi int) error {
		factors := rows.Cast[float64](r.Scratch)
		in, out := ir.Data[T](r.Inputs[g.data]), ir.Data[T](r.Outputs[0])
		for i := lo; i < hi; i++ {
			c := i % g.channels
			scale(out[i*g.plane:(i+1)*g.plane], in[i*g.plane:(i+1)*g.plane], factors[2*c], factors[2*c+1])
		}
		return nil
	}
	return func(r *ops.Run) error {
		factors := rows.Cast[float64](r.Scratch)
		gamma, beta := ir.Data[T](r.Inputs[g.gamma]), ir.Data[T](r.Inputs[g.beta])
		mean, variance := ir.Data[T](r.Inputs[g.mean]), ir.Data[T](r.Inputs[g.variance])
		for c := range g.channels {
			factor := load(gamma[c]) / math.Sqrt(load(variance[c])+g.epsilon)
			factors[2*c], factors[2*c+1] = factor, load(beta[c])-load(mean[c])*factor
		}
		if g.plane == 0 {
			return nil
		}
		return r.For(g.planes, grain/g.plane+1, part)
	}
}

func scale[T float32 | float64](out, in []T, factor, summand float64) {
	f, s := T(factor), T(summand)
	for i, v := range in {
		out[i] = v*f + s
	}
}

func scaleF16(out, in []uint16, factor, summand float64) {
	f, s := float32(factor), float32(summand)
	for i, v := range in {
		out[i] = half.F32ToF16(half.F16ToF32(v)*f + s)
	}
}

func scaleBF16(out, in []half.BFloat16, factor, summand float64) {
	f, s := float32(factor), float32(summand)
	for i, v := range in {
		out[i] = half.BFloat16Of(v.Float32()*f + s)
	}
}
