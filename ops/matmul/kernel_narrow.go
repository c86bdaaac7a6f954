package matmul

import (
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/ops"
)

// narrowPanels is the number of panels of rows of a that are multiplied before the product is
// written to c.
const narrowPanels = 4

// narrow multiplies if c has few columns and many rows. It computes the transposed product, b's
// columns times a's rows, which fills whole tiles, and transposes the result. packed holds the
// columns of b if they are constant.
type narrow struct {
	*engine
	flipped []gemm.Step // of the transposed product
	chunk   int         // number of rows of c in a chunk
	chunks  int         // number of chunks in a batch
	// number of columns of b, rounded up to whole panels
	lines int
	// The memory of each worker.
	areasLeft, areasRight, areasProduct ops.Area[gemm.Lane]
}

// isNarrow reports whether ordinary tiles would be at most half full because c has few columns.
func (e *engine) isNarrow() bool {
	return e.n <= e.kernel.MR && 2*e.n <= e.kernel.NR && e.m >= 2*e.kernel.NR
}

// narrowSteps returns one step, whose items are chunks.
func (e *engine) narrowSteps(threads int, s *ops.Scratch) ([]ops.Step, error) {
	k := e.kernel
	w := &narrow{engine: e, chunk: narrowPanels * k.NR, lines: k.PanelsA(e.n) * k.MR}
	w.chunks = (e.m + w.chunk - 1) / w.chunk
	for _, step := range e.operands.steps {
		if step.Op == gemm.AddColumns {
			step.Op = gemm.AddRows
		}
		w.flipped = append(w.flipped, step)
	}
	if e.constB != nil && e.sameB() {
		packed, err := e.once(e.packKey("rows"), sizeOf[gemm.Lane](k.PackedLenA(e.n, e.depth)), func() (any, error) {
			return k.PackAllA(e.stop, w.columns(matrixB(e.problem, e.constB(), 0)), e.n, e.depth), nil
		})
		if err != nil {
			return nil, err
		}
		e.packed = packed.(*gemm.Packed[gemm.Lane])
		e.release()
	}
	if w.packed == nil {
		w.areasLeft = ops.AreasOf[gemm.Lane](s, threads, w.lines, e.depth)
	}
	w.areasRight = ops.AreasOf[gemm.Lane](s, threads, w.chunk, e.depth)
	w.areasProduct = ops.AreasOf[gemm.Lane](s, threads, w.chunk, e.n)
	return []ops.Step{{N: e.batches * w.chunks, Grain: grainOf(w.chunk * e.n * e.depth), Workers: threads, WorkerPart: func(r *ops.Run, worker, lo, hi int) error {
		for ; lo < hi && !r.Stop.Requested(); lo++ {
			w.compute(r, worker, lo/w.chunks, lo%w.chunks)
		}
		return nil
	}}}, nil
}

// columns returns b transposed: its columns as rows.
func (w *narrow) columns(b gemm.Matrix[gemm.Lane]) gemm.Matrix[gemm.Lane] {
	return gemm.Matrix[gemm.Lane]{Data: b.Data, RowStride: b.ColStride, ColStride: b.RowStride}
}

// compute computes a chunk of the rows of a batch.
func (w *narrow) compute(r *ops.Run, worker, batch, chunk int) {
	k := w.kernel
	a, b, c, at := w.batch(r, batch)
	first := chunk * w.chunk
	rows := min(w.chunk, w.m-first)
	right := panels{w.areasRight.Of(r, worker), k.PanelsB(rows) * k.NR}
	lines := gemm.Matrix[gemm.Lane]{Data: a.Data[first*a.RowStride:], RowStride: a.ColStride, ColStride: a.RowStride}
	var left panels
	if w.packed == nil {
		left = panels{w.areasLeft.Of(r, worker), w.lines}
		w.engine.packA(r.Stop, left, w.columns(b), w.n, 0, k.PanelsA(w.n))
	}
	product := w.areasProduct.Of(r, worker)
	for i := range k.Blocks(w.depth) {
		if i%16 == 15 && r.Stop.Requested() {
			return
		}
		k.PackB(w.block(right, i), lines, rows, w.depth, i, 0, k.PanelsB(rows))
		k.Multiply(&gemm.Product[gemm.Lane, gemm.Lane]{
			C: product, LDC: rows, A: w.blockLeft(left, i), B: w.block(right, i), Depth: w.depth, Block: i, MHi: w.n, NHi: rows, Steps: w.flipped,
		})
	}
	out := c[first*w.n:][:rows*w.n]
	for j := range w.n {
		o := j
		for _, v := range product[j*rows:][:rows] {
			out[o] = float32(v)
			o += w.n
		}
	}
	if w.finish != nil {
		w.finish(r, out, at+first*w.n)
	}
}

func (w *narrow) blockLeft(left panels, i int) []gemm.Lane {
	if w.packed != nil {
		return w.packed.Block(i)
	}
	return w.block(left, i)
}
