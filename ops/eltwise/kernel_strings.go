package eltwise

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/ops"
)

// compareCost is the cost of comparing two strings.
const compareCost = 8

// stringsKernel returns the kernel of Equal and NotEqual for strings, which are not in the bytes
// of a tensor.
func (g *geometry) stringsKernel(f function) *ops.Prepared {
	rows := equalLoop[string](f, g.stretching)
	part := func(r *ops.Run, lo, hi int) error {
		a, b, out := r.Inputs[0].Strings(), r.Inputs[1].Strings(), cast.Bytes[bool](r.Outputs[0].Bytes())
		for lo < hi {
			s := g.span(lo, hi)
			end := s.out + s.rows*s.n
			eachRow(g.stretching, rows, out[s.out:end], a[s.a:], b[s.b:], s.n, g.aStep, g.bStep)
			lo = end
		}
		return nil
	}
	return &ops.Prepared{Kernel: func(r *ops.Run) error { return r.For(g.elements, ops.Grain(compareCost), part) }}
}
