package eltwise

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// conversions are those of the types that are computed in a wider one.
var conversions = []widened.Conversion{
	widened.F16, widened.BF16, widened.I8, widened.I16, widened.U16, widened.U32,
}

// block is the number of elements that are converted at a time.
const block = 512

// widenedKernel computes elements in a wider type with rows, block by block in scratch memory.
func widenedKernel(p *ops.Preparation, g *geometry, c *widened.Conversion, rows rowsLoop) *ops.Prepared {
	// A part is the share of one worker. Each worker has its own scratch memory.
	w := &widenedRows{geometry: g, conversion: c, rows: rows, workers: p.Workers(g.elements, 1), narrow: c.From.Size(), wide: c.To.Size()}
	w.outSize, w.compares = p.Outputs[0].Type.Size(), p.Outputs[0].Type != c.From
	var s ops.Scratch
	for i := range w.areas {
		w.areas[i] = ops.AreasOf[byte](&s, w.workers, block, w.wide)
	}
	part := w.part
	return &ops.Prepared{
		Kernel:       func(r *ops.Run) error { return r.For(w.workers, 1, part) },
		ScratchBytes: s.Bytes(),
	}
}

type widenedRows struct {
	*geometry
	conversion *widened.Conversion
	rows       rowsLoop // of the wide type
	compares   bool     // the output is boolean
	// blocks of each worker, of the inputs and of the output
	areas                 [3]ops.Area[byte]
	workers               int
	narrow, wide, outSize int // sizes of elements
}

// part computes the shares of workers lo to hi-1 in the scratch memory of worker lo.
func (w *widenedRows) part(r *ops.Run, lo, hi int) error {
	x, y, z := w.areas[0].Of(r, lo), w.areas[1].Of(r, lo), w.areas[2].Of(r, lo)
	a, b, out := r.Inputs[0].Bytes(), r.Inputs[1].Bytes(), r.Outputs[0].Bytes()
	meter := r.Stop.Meter()
	for at, end := parallel.Share(w.elements, w.workers, lo), parallel.Share(w.elements, w.workers, hi); at < end; {
		s := w.span(at, end)
		for range s.rows {
			for i := 0; i < s.n; i += block {
				n := min(block, s.n-i)
				if meter.Spent(8*n + 8) {
					return parallel.ErrStopped
				}
				an, bn := w.stretching.lengths(n)
				ai, bi := i, i
				if w.stretching == aStretched {
					ai = 0
				}
				if w.stretching == bStretched {
					bi = 0
				}
				x, y, to := x[:an*w.wide], y[:bn*w.wide], out[(s.out+i)*w.outSize:][:n*w.outSize]
				w.conversion.Widen(x, a[(s.a+ai)*w.narrow:][:an*w.narrow])
				w.conversion.Widen(y, b[(s.b+bi)*w.narrow:][:bn*w.narrow])
				computed := to
				if !w.compares {
					computed = z[:n*w.wide]
				}
				if bad := w.rows(computed, x, y, n, 0, 0); bad >= 0 {
					return w.divisionByZero(s.out + i + bad)
				}
				if !w.compares {
					w.conversion.Narrow(to, computed)
				}
			}
			s.out, s.a, s.b = s.out+s.n, s.a+w.aStep, s.b+w.bStep
		}
		at = s.out
	}
	return nil
}
