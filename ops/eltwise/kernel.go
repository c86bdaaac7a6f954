package eltwise

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/autobroadcast"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// prepare chooses the loop for the type, the function and the broadcasting of rows.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	if p.Inputs[0].Type != p.Inputs[1].Type {
		return nil, faults.Errorf("input 0 is %v, input 1 is %v", p.Inputs[0].Type, p.Inputs[1].Type)
	}
	at, g, err := resolve(p)
	if err != nil {
		return nil, err
	}
	if g.elements == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	}
	if p.Inputs[0].Type == ir.String {
		return g.stringsKernel(at.f), nil
	}
	if c := widened.Find(conversions, p.Inputs[0].Type); c != nil {
		return g.widenedKernel(p, c, rowsFor(c.To, at.f, g.stretching)), nil
	}
	if prepared := g.scaleAndAdd(p, at.f); prepared != nil {
		return prepared, nil
	}
	prepared := g.kernel(p, rowsFor(p.Inputs[0].Type, at.f, g.stretching))
	if len(p.Stages) == 0 {
		prepared.Refit = g.refit
	}
	return prepared, nil
}

// refit implements Prepared.Refit: the loop depends on the input that is stretched.
func (g *geometry) refit(p *ops.Preparation) (bool, error) {
	_, next, err := resolve(p)
	if err != nil || next.elements == 0 || next.stretching != g.stretching {
		return false, err
	}
	*g = *next
	return true, nil
}

// conversions are those of the types that are computed in a wider one.
var conversions = []widened.Conversion{
	widened.F16, widened.BF16, widened.I8, widened.I16, widened.U16, widened.U32,
}

// rowsFor returns the function that computes rows of a type that is not in conversions.
func rowsFor(t ir.ElementType, f function, s stretching) rowsLoop {
	if signless(f) {
		switch t {
		case ir.U8:
			return rowsOf(s, wrappingLoop[uint8](f, s), equalLoop[uint8](f, s))
		case ir.I32:
			return rowsOf(s, wrappingLoop[int32](f, s), equalLoop[int32](f, s))
		case ir.I64, ir.U64:
			return rowsOf(s, wrappingLoop[int64](f, s), equalLoop[int64](f, s))
		}
	}
	switch t {
	case ir.F32:
		if code := vectorRows(f, s); code != nil {
			return func(out, a, b []byte, n, aStep, bStep int) int {
				return code(cast.Bytes[float32](out), cast.Bytes[float32](a), cast.Bytes[float32](b), n, aStep, bStep)
			}
		}
		return rowsOf(s, float32Loop(f, s), compareLoop[float32](f, s))
	case ir.F64:
		return rowsOf(s, floatLoop[float64](f, s), compareLoop[float64](f, s))
	case ir.I32:
		return rowsOf(s, intLoop[int32](f, s), compareLoop[int32](f, s))
	case ir.I64:
		return rowsOf(s, intLoop[int64](f, s), compareLoop[int64](f, s))
	case ir.U8:
		return rowsOf(s, intLoop[uint8](f, s), compareLoop[uint8](f, s))
	case ir.U64:
		return rowsOf(s, intLoop[uint64](f, s), orderingLoop[uint64](f, s))
	default: // boolean
		return rowsOf(s, booleanLoop(f, s), compareLoop[uint8](f, s))
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

// A rowsLoop computes several rows of n elements, in the memory of tensors. The rows of out are
// contiguous. The rows of the inputs start aStep and bStep elements apart. It returns the same as a
// loop.
type rowsLoop func(out, a, b []byte, n, aStep, bStep int) int

// rowsOf returns the function that runs compute for every row; compare if compute is nil. It is not
// inlined: copies of its closure would take 3.9 KiB.
//
//go:noinline
func rowsOf[T any](s stretching, compute loop[T, T], compare loop[T, bool]) rowsLoop {
	if compute == nil {
		return func(out, a, b []byte, n, aStep, bStep int) int {
			return eachRow(s, compare, cast.Bytes[bool](out), cast.Bytes[T](a), cast.Bytes[T](b), n, aStep, bStep)
		}
	}
	return func(out, a, b []byte, n, aStep, bStep int) int {
		return eachRow(s, compute, cast.Bytes[T](out), cast.Bytes[T](a), cast.Bytes[T](b), n, aStep, bStep)
	}
}

// eachRow runs l for every row.
func eachRow[T, R any](s stretching, l loop[T, R], out []R, a, b []T, n, aStep, bStep int) int {
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

// kernel returns the kernel that computes rows.
func (g *geometry) kernel(p *ops.Preparation, rows rowsLoop) *ops.Prepared {
	size, outSize := p.Inputs[0].Type.Size(), p.Outputs[0].Type.Size()
	if len(p.Stages) > 0 { // the output before the stages is float32, whatever they store
		return ops.Elementwise(p, g.elements, grain, func(r *ops.Run, x []float32, at int) error {
			return g.compute(r, rows, cast.Memory(x), at, len(x), size, 4)
		})
	}
	part := func(r *ops.Run, lo, hi int) error {
		return g.compute(r, rows, r.Outputs[0].Bytes()[lo*outSize:hi*outSize], lo, hi-lo, size, outSize)
	}
	return &ops.Prepared{Kernel: func(r *ops.Run) error { return r.For(g.elements, grain, part) }}
}

// compute sets x to n elements of the output from element at on. Elements of the inputs have size
// bytes, those of the output outSize.
func (g *geometry) compute(r *ops.Run, rows rowsLoop, x []byte, at, n, size, outSize int) error {
	a, b := r.Inputs[0].Bytes(), r.Inputs[1].Bytes()
	for lo, hi := at, at+n; lo < hi; {
		s := g.span(lo, hi)
		end := s.out + s.rows*s.n
		if bad := rows(x[(s.out-at)*outSize:(end-at)*outSize], a[s.a*size:], b[s.b*size:], s.n, g.aStep, g.bStep); bad >= 0 {
			return g.divisionByZero(s.out + bad)
		}
		lo = end
	}
	return nil
}

// widenedKernel returns the kernel that computes rows in a wider type.
func (g *geometry) widenedKernel(p *ops.Preparation, c *widened.Conversion, rows rowsLoop) *ops.Prepared {
	next := func(lo, hi int) widened.Block {
		s := g.span(lo, hi)
		// The rows of an input are one after the other, or all rows of the output have the same.
		an, bn := g.stretching.lengths(s.n)
		return widened.Block{At: lo, N: s.rows * s.n, A: s.a, ALen: (s.rows-1)*g.aStep + an, B: s.b, BLen: (s.rows-1)*g.bStep + bn, Row: s.n}
	}
	return widened.Blocks(p, c, g.elements, 1, next, func(out, a, b []byte, of widened.Block) error {
		if bad := rows(out, a, b, of.Row, g.aStep, g.bStep); bad >= 0 {
			return g.divisionByZero(of.At + bad)
		}
		return nil
	})
}

// divisionByZero returns the error for an element of the output. No other error is possible.
func (g *geometry) divisionByZero(element int) error {
	return faults.Errorf("integer division by zero at output position %v", index.Position(element, g.shape))
}
