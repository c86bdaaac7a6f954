package groupnorm

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
	"github.com/vinoir/vinoir/ops/internal/normalize"
)

// groups describes data as groups of channels.
type groups struct {
	epsilon                 float64
	count, channels, planes int // groups of a batch, channels of a group, and elements of a channel
}

// prepare returns the kernel that computes one group of a batch after the other:
//
//	output = (data-mean) * (scale[c]/sqrt(variance+epsilon)) + bias[c]
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(attributes)
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	for i, name := range []string{"data", "scale", "bias"} {
		if t := p.Inputs[i].Type; t != p.Outputs[0].Type {
			return nil, faults.Errorf("%s is %v, data is %v", name, t, p.Outputs[0].Type)
		}
	}
	if at.groups > int64(shape[1]) || shape[1]%int(at.groups) != 0 {
		return nil, faults.Errorf("data has shape %v, whose channels do not make %d groups", shape, at.groups)
	}
	g := &groups{
		epsilon: at.epsilon, count: int(at.groups), channels: shape[1] / int(at.groups),
		planes: shape[2:].Elements(),
	}
	grouped := ir.Shape{shape[0], g.count, g.channels, g.planes}
	l := normalize.NewLayout(grouped, []bool{false, false, true, true}, p.Threads)
	if l.PerColumn {
		// The groups have one element, which is its own mean.
		l = normalize.ElementBlocks(l)
	}
	return normalize.Kernel(p, 0, l, normalize.Computation{
		F32: func(r *ops.Run, b normalize.Block[float32]) { compute(g, r, &b) },
		F64: func(r *ops.Run, b normalize.Block[float64]) { compute(g, r, &b) },
	})
}

// compute normalises a group, which is a block of one row.
func compute[T normalize.Float](g *groups, r *ops.Run, b *normalize.Block[T]) {
	mean := b.Mean()
	factor := 1 / math.Sqrt(b.Variance(mean)+g.epsilon)
	x, out := b.Row(0)
	first := b.Index % g.count * g.channels
	meter := r.Stop.Meter()
	for c := range g.channels {
		if meter.Spent(g.planes + 32) {
			return
		}
		scale, bias := floats.At(r.Inputs[1], first+c), floats.At(r.Inputs[2], first+c)
		lo, hi := c*g.planes, (c+1)*g.planes
		normalize.Affine(r.Stop, out[lo:hi], x[lo:hi], mean, T(factor*scale), T(bias))
	}
}
