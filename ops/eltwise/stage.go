package eltwise

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// stage returns the layer as a stage of what computes its input through, whose
// elements are those of the output; nil where that input is stretched.
func stage(p *ops.Preparation, through int) (*ops.Stage, error) {
	at, g, err := resolve(p)
	if err != nil {
		return nil, err
	}
	compute := vectorRows[float32](at.f, g.stretching)
	if compute == nil {
		compute = rowsOf(g.stretching, floatLoop[float32](at.f, g.stretching))
	}
	if g.elements == 0 || p.Inputs[through].Shape.Elements() != ir.Dim(int64(g.elements)) {
		return nil, nil
	}
	operand := p.Operands[1-through]
	s := &ops.Stage{Apply: func(r *ops.Run, x []float32, at int) {
		g.apply(compute, x, ir.Data[float32](r.Inputs[operand]), through, at)
	}}
	if constant := p.Inputs[1-through].Tensor; constant != nil {
		err = g.setBias(s, p, at.f, ir.Data[float32](constant), through)
	}
	return s, err
}

// apply computes the elements from at on in place; x is one operand, y the other.
func (g *geometry) apply(compute rows[float32, float32], x, y []float32, through, at int) {
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

// setBias sets the Bias of a stage that adds a constant, or subtracts one, where each
// of its elements stands for a run of elements.
func (g *geometry) setBias(s *ops.Stage, p *ops.Preparation, f function, constant []float32, through int) error {
	inner, ok := g.runs(1 - through)
	switch {
	case !ok:
	case f == add:
		s.Bias, s.Inner = constant, inner
	case f == subtract && through == 0:
		negative, err := p.Once("negative", 4*int64(len(constant)), func() (any, error) {
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

// runs returns the length of the runs of elements for which one element of an input
// stands, where these follow one another and then start again: element i of the
// output belongs to element i/inner of the input, modulo its length.
func (g *geometry) runs(input int) (inner int, ok bool) {
	axes := append(append([]axis(nil), g.outer...), axis{g.rows, g.aStep, g.bStep}, g.last())
	inner = 1
	next, started := 1, false // what the input advances by where it goes on
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
			next = 0 // from here on it starts again
		case step != next:
			return 0, false
		default:
			next, started = step*axes[i].n, true
		}
	}
	return inner, true
}

// last returns the axis of the rows.
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
