package eltwise

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/autobroadcast"
)

// prepare chooses the loop for the type, the function and the broadcasting of rows.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	if p.Inputs[0].Type != p.Inputs[1].Type {
		return nil, fmt.Errorf("input 0 is %v, input 1 is %v", p.Inputs[0].Type, p.Inputs[1].Type)
	}
	at, g, err := resolve(p)
	if err != nil {
		return nil, err
	}
	if g.elements == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	}
	switch p.Inputs[0].Type {
	case ir.F32:
		return kernelOf(p, g, at.f, floatLoop[float32])
	case ir.F64:
		return kernelOf(p, g, at.f, floatLoop[float64])
	case ir.F16, ir.BF16:
		return halfKernel(p, g, at.f)
	case ir.I8:
		return kernelOf(p, g, at.f, intLoop[int8])
	case ir.I16:
		return kernelOf(p, g, at.f, intLoop[int16])
	case ir.I32:
		return kernelOf(p, g, at.f, intLoop[int32])
	case ir.I64:
		return kernelOf(p, g, at.f, intLoop[int64])
	case ir.U8:
		return kernelOf(p, g, at.f, intLoop[uint8])
	case ir.U16:
		return kernelOf(p, g, at.f, intLoop[uint16])
	case ir.U32:
		return kernelOf(p, g, at.f, intLoop[uint32])
	case ir.U64:
		return kernelOf(p, g, at.f, intLoop[uint64])
	default: // boolean
		return kernelOf(p, g, at.f, booleanLoop)
	}
}

// resolve returns the function and the geometry of a layer.
func resolve(p *ops.Preparation) (attributes, *geometry, error) {
	at := p.Attributes.(attributes)
	if at.f == prelu {
		at.Rule = slopeRule(p.Inputs[0].Shape, p.Inputs[1].Shape)
	}
	if at.floor {
		at.f = floorDiv
	}
	g, err := newGeometry(p, at)
	return at, g, err
}

// slopeRule returns the rule that broadcasts the slope of PRelu to data.
func slopeRule(data, slope ir.PartialShape) autobroadcast.Rule {
	if slope.Rank() == 1 && data.Rank() > 1 && slope.At(0) == data.At(1) {
		return autobroadcast.Rule{Kind: autobroadcast.PDPD, Axis: 1}
	}
	return autobroadcast.Rule{}
}

// A loop computes a row: out[i] = f(a[i], b[i]). An input that is stretched has one element, which
// is used for the whole row. The loop returns the index of an element that cannot be computed, or
// -1 if there is none. out may be a or b.
type loop[T, R any] func(out []R, a, b []T) int

// grain is the number of elements below which a part is not worth another thread.
const grain = 1 << 14

// A rowsLoop computes several rows of n elements. The rows of out are contiguous. The rows of
// the inputs start aStep and bStep elements apart. It returns the same as a loop.
type rowsLoop[T, R any] func(out []R, a, b []T, n, aStep, bStep int) int

// kernelOf returns the kernel for f. choose returns the loop for functions other than comparisons.
func kernelOf[T number](p *ops.Preparation, g *geometry, f function, choose func(function, stretching) loop[T, T]) (*ops.Prepared, error) {
	if compares(f) {
		return rowsKernel(p, g, rowsOf(g.stretching, compareLoop[T](f, g.stretching))), nil
	}
	if v := vectorRows[T](f, g.stretching); v != nil {
		return rowsKernel(p, g, v), nil
	}
	return rowsKernel(p, g, rowsOf(g.stretching, choose(f, g.stretching))), nil
}

// rowsOf returns the function that runs l for every row.
func rowsOf[T, R any](s stretching, l loop[T, R]) rowsLoop[T, R] {
	return func(out []R, a, b []T, n, aStep, bStep int) int {
		aLen, bLen := s.lengths(n)
		for at := 0; at < len(out); at += n {
			if bad := l(out[at:at+n], a[:aLen], b[:bLen]); bad >= 0 {
				return at + bad
			}
			if at+n < len(out) {
				a, b = a[aStep:], b[bStep:]
			}
		}
		return -1
	}
}

func rowsKernel[T, R ir.Element](p *ops.Preparation, g *geometry, compute rowsLoop[T, R]) *ops.Prepared {
	return ops.Elementwise(p, g.elements, grain, func(r *ops.Run, x []R, at int) error {
		a, b := ir.Data[T](r.Inputs[0]), ir.Data[T](r.Inputs[1])
		for lo, hi := at, at+len(x); lo < hi; {
			s := g.span(lo, hi)
			end := s.out + s.rows*s.n
			if bad := compute(x[s.out-at:end-at], a[s.a:], b[s.b:], s.n, g.aStep, g.bStep); bad >= 0 {
				return g.divisionByZero(s.out + bad)
			}
			lo = end
		}
		return nil
	})
}

// divisionByZero returns the error for an element of the output. No other error is possible.
func (g *geometry) divisionByZero(element int) error {
	return fmt.Errorf("integer division by zero at output position %v", index.Position(element, g.shape))
}
