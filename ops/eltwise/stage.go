package eltwise

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// stage returns the layer as a stage of the layer that produces input number through; nil if that
// input has fewer elements than the output.
func stage(p *ops.Preparation, through int) (*ops.Stage, error) {
	at, g, err := resolve(p)
	if err != nil {
		return nil, err
	}
	compute := vectorRows(at.f, g.stretching)
	if compute == nil {
		l := float32Loop(at.f, g.stretching)
		compute = func(out, a, b []float32, n, aStep, bStep int) int {
			return eachRow(g.stretching, l, out, a, b, n, aStep, bStep)
		}
	}
	if g.elements == 0 || p.Inputs[through].Shape.Elements() != ir.Dim(int64(g.elements)) {
		return nil, nil
	}
	operand := p.Operands[1-through]
	s := &ops.Stage{Apply: func(r *ops.Run, x []float32, at int) {
		g.apply(compute, x, ir.Data[float32](r.Inputs[operand]), through, at)
	}}
	if at.f == add && p.Inputs[1-through].Shape.Elements() == ir.Dim(int64(g.elements)) {
		s.Adds = operand
	}
	if constant := p.Inputs[1-through].Tensor; constant != nil {
		err = g.describe(s, p, at.f, ir.Data[float32](constant), through)
	}
	return s, err
}

// apply computes the elements from at on in place. x holds the input number through, y the other
// input.
func (g *geometry) apply(compute func(out, a, b []float32, n, aStep, bStep int) int, x, y []float32, through, at int) {
	for lo, hi := at, at+len(x); lo < hi; {
		s := g.span(lo, hi)
		end := s.out + s.rows*s.n
		row := x[s.out-at : end-at]
		if through == 0 {
			compute(row, row, y[s.b:], s.n, s.n, g.bStep)
		} else {
			compute(row, y[s.a:], row, s.n, g.aStep, s.n)
		}
		lo = end
	}
}

// describe sets the Bias of a stage that adds or subtracts a constant, or the Slope of a PRelu, if
// the constant repeats as these require.
func (g *geometry) describe(s *ops.Stage, p *ops.Preparation, f function, constant []float32, through int) error {
	inner, ok := g.runs(1 - through)
	switch {
	case !ok:
	case f == add:
		s.Bias, s.Inner = constant, inner
	case f == prelu && through == 0:
		s.Slope, s.Inner = constant, inner
	case f == subtract && through == 0:
		negative, err := p.Once(p.Inputs[1-through].Tensor, "negative", 4*int64(len(constant)), func() (any, error) {
			negative := make([]float32, len(constant))
			for i, v := range constant {
				negative[i] = -v
			}
			return negative, nil
		})
		if err != nil {
			return err
		}
		s.Bias, s.Inner = negative.([]float32), inner
	}
	return nil
}

// runs returns the number inner such that element i of the output uses element i/inner of an input,
// modulo its length; false if there is no such number.
func (g *geometry) runs(input int) (inner int, ok bool) {
	axes := append(append([]axis(nil), g.outer...), axis{g.rows, g.aStep, g.bStep}, g.last())
	inner = 1
	next, started := 1, false // step along the next axis if the input continues
	for i := len(axes) - 1; i >= 0; i-- {
		step := axes[i].a
		if input == 1 {
			step = axes[i].b
		}
		switch {
		case axes[i].n == 1:
		case step == 0 && !started:
			inner *= axes[i].n
		case step == 0:
			next = 0 // the input repeats along this axis and all outer axes
		case step != next:
			return 0, false
		default:
			next, started = step*axes[i].n, true
		}
	}
	return inner, true
}

// last returns the axis of the elements in a row.
func (g *geometry) last() axis {
	last := axis{g.n, 1, 1}
	switch g.stretching {
	case aStretched:
		last.a = 0
	case bStretched:
		last.b = 0
	}
	return last
}
