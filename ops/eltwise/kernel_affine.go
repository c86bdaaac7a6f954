package eltwise

import (
	"github.com/vinoir/vinoir/internal/vmath"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// scaleAndAdd returns a kernel for rows that are multiplied by one number each, where the first
// stage adds one number to each: one pass over memory computes both. It returns nil for other
// layers, and for rows that are too short for a call for each.
func (g *geometry) scaleAndAdd(p *ops.Preparation, f function) *ops.Prepared {
	const minRow = 128
	if f != multiply || p.Inputs[0].Type != ir.F32 || len(p.Stages) == 0 || g.stretching == noneStretched || g.n < minRow {
		return nil
	}
	bias, inner := p.Stages[0].Bias, p.Stages[0].Inner
	if len(bias) == 0 || len(bias) > 1 && inner%g.n != 0 {
		return nil
	}
	rest := *p
	rest.Stages = p.Stages[1:]
	return ops.Elementwise(&rest, g.elements, grain, func(r *ops.Run, x []float32, at int) error {
		a, b := ir.Data[float32](r.Inputs[0]), ir.Data[float32](r.Inputs[1])
		for lo, hi := at, at+len(x); lo < hi; {
			s := g.span(lo, hi)
			for range s.rows {
				data, factor := a[s.a:], b[s.b]
				if g.stretching == aStretched {
					data, factor = b[s.b:], a[s.a]
				}
				vmath.Affine(x[lo-at:], data[:s.n], 0, factor, bias[lo/inner%len(bias)])
				lo, s.a, s.b = lo+s.n, s.a+g.aStep, s.b+g.bStep
			}
		}
		return nil
	})
}
