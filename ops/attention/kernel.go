package attention

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/levels"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/normalize"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// prepare returns the kernel that computes tiles of rows of the output. Each thread computes
// one tile after the other, so that the scores of a tile stay in the cache:
//
//	scores = query*scale*transpose(key) + mask   rows of the tile by S
//	scores = exp(scores-max(scores))
//	output = scores*value / sum(scores)
func prepare(p *ops.Preparation) (*ops.Prepared, error) { return prepareFor(p, newGeometry) }

// prepareFor is prepare for the geometry that geometryOf returns.
func prepareFor(p *ops.Preparation, geometryOf func(*ops.Preparation) (*geometry, error)) (*ops.Prepared, error) {
	g, err := geometryOf(p)
	if err != nil {
		return nil, err
	}
	switch p.Outputs[0].Type {
	case ir.F32:
		return kernel(p, g, geometryOf, access{read: direct, write: direct, rows: rowsIn(g.stored)})
	case ir.F64:
		return plainKernel(p, g)
	default: // f16 and bf16
		return kernel(p, g, geometryOf, halves(widened.Find(widened.Halves, p.Outputs[0].Type)))
	}
}

// access reads and writes elements in float32. If wide is true, it
// converts them in scratch memory. Otherwise it uses the memory of the tensor.
type access struct {
	wide bool
	// read returns n elements of t, starting at element at. It uses scratch if wide is true.
	read func(t *ir.Tensor, at, n int, scratch []float32) []float32
	// write returns the memory for elements at to at+n-1 of t.
	write func(t *ir.Tensor, at, n int, scratch []float32) []float32
	// finish stores in t what was written to scratch. It is nil unless wide is true.
	finish func(t *ir.Tensor, at int, x []float32)
	// rows sets dst to rows of n columns of key or value, from row number first on, if they are
	// stored in another type than the query; otherwise it is nil.
	rows func(dst []float32, t *ir.Tensor, first, n int)
}

// rowsIn returns the access.rows of a type; nil for types that are not converted.
func rowsIn(stored ir.ElementType) func(dst []float32, t *ir.Tensor, first, n int) {
	switch stored {
	case ir.U8:
		return func(dst []float32, t *ir.Tensor, first, n int) {
			levels.DecodeRows(dst, t.Bytes()[first*(n+levels.RowExtra):], n)
		}
	case ir.F16, ir.BF16:
		c := widened.Find(widened.Halves, stored)
		return func(dst []float32, t *ir.Tensor, first, n int) { c.Load(nil, cast.Memory(dst), t, first*n) }
	}
	return nil
}

// direct is the read and write of an access without conversion.
func direct(t *ir.Tensor, at, n int, _ []float32) []float32 { return ir.Data[float32](t)[at : at+n] }

// halves returns the access of a 16-bit type.
func halves(c *widened.Conversion) access {
	return access{
		wide: true,
		read: func(t *ir.Tensor, at, n int, scratch []float32) []float32 {
			c.Load(nil, cast.Memory(scratch[:n]), t, at)
			return scratch[:n]
		},
		write:  func(_ *ir.Tensor, _, n int, scratch []float32) []float32 { return scratch[:n] },
		finish: func(t *ir.Tensor, at int, x []float32) { c.Store(nil, t, at, cast.Memory(x)) },
	}
}

// kernel returns the kernel in float32.
func kernel(p *ops.Preparation, g *geometry, geometryOf func(*ops.Preparation) (*geometry, error), a access) (*ops.Prepared, error) {
	if g.isEmpty() {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	}
	e := &engine{geometry: g, access: a, floats: gemm.New(), loops: normalize.LoopsOf[float32]()}
	e.tiling = &e.floats.Tiling
	if p.Rounded != ir.Dynamic && g.l > 1 && g.e >= minRoundedDepth {
		pairs := gemm.NewPairs(p.Rounded == ir.F16)
		pairs.Fit(gemm.PairsOf(g.e))
		pairs.Fit(gemm.PairsOf(g.s))
		if pairs.AddsF32() && pairs.Pays(gemm.PairsOf(g.e)) && pairs.Pays(gemm.PairsOf(g.s)) {
			e.pairs, e.tiling = pairs, &pairs.Tiling
			g.tile = max(g.tile, min(g.l, pairs.MR))
		}
	}
	if g.levels {
		e.quads = gemm.NewQuads()
		e.quads.Fit(g.e / gemm.QuadSize())
	}
	part := ops.Part(e.share)
	prepared := &ops.Prepared{Kernel: func(r *ops.Run) error { return r.For(e.workers, 1, part) }}
	e.layOut(p, prepared)
	if a.rows != nil {
		prepared.Algorithm = "key and value in " + g.stored.String()
	}
	switch {
	case g.levels:
		prepared.Precision, prepared.Algorithm = ir.I8, "scores of bytes"
	case e.pairs != nil:
		prepared.Precision = p.Rounded
	}
	if g.l == 1 && !g.levels { // nothing is chosen by the lengths
		prepared.Refit = func(p *ops.Preparation) (bool, error) {
			next, err := geometryOf(p)
			if err != nil || next.isEmpty() || next.l != 1 || next.stored != e.stored {
				return false, err
			}
			*e.geometry = *next
			e.layOut(p, prepared)
			return true, nil
		}
	}
	return prepared, nil
}

// isEmpty reports whether the output has no elements.
func (g *geometry) isEmpty() bool { return g.batches*g.l*g.ev == 0 }

// layOut divides the work among threads, and sets what prepared says of the memory and the work.
func (e *engine) layOut(p *ops.Preparation, prepared *ops.Prepared) {
	// Threads share the rows of all batches in units of packed panels. Each thread has one share,
	// so that it packs the keys and values of few batches, and all have about the same work.
	e.units = e.tiling.PanelsA(e.l)
	e.items = e.batches * e.units
	// The product may overflow an int.
	work := float64(e.batches) * float64(e.l) * float64(e.s) * float64(e.e+e.ev)
	e.workers = p.Workers(e.items, ops.MultiplyCost*work/float64(max(e.items, 1)))
	var s ops.Scratch
	e.areas = newAreas(&s, e.workers, e.geometry, e.tiling, e.quads, e.wide, e.rows != nil, e.pairs != nil)
	prepared.ScratchBytes, prepared.Flops = s.Bytes(), 2*work
}

// share computes the share of worker number lo.
func (e *engine) share(r *ops.Run, lo, hi int) error {
	w := e.worker(r, lo)
	for item, end := parallel.Share(e.items, e.workers, lo), parallel.Share(e.items, e.workers, hi); item < end && !r.Stop.Requested(); {
		if e.shares() {
			n := min(e.shared-item%e.shared, end-item, maxShared)
			e.computeShared(r, &w, item, n)
			item += n
			continue
		}
		n := e.tileUnits(min(e.units-item%e.units, end-item))
		e.compute(r, &w, item/e.units, item%e.units*e.tiling.MR, n*e.tiling.MR)
		item += n
	}
	return nil
}

// minRoundedDepth is the number of elements of a key from which on products of bf16 or f16 are
// faster, with the conversion.
const minRoundedDepth = 32
