package matmul

import (
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ops"
)

// narrowPanels is the number of panels of rows of a that are multiplied before the product is
// written to c.
const narrowPanels = 4

// narrow multiplies if c has few columns and many rows. It computes the transposed product, b's
// columns times a's rows, which fills whole tiles, and transposes the result. packed holds the
// columns of b if they are constant.
type narrow[T gemm.Number] struct {
	*engine[T]
	flipped *gemm.Epilogue[T] // epilogue of the transposed product
	chunk   int               // number of rows of c in a chunk
	chunks  int               // number of chunks in a batch
	// number of columns of b, rounded up to whole panels
	lines                               int
	areasLeft, areasRight, areasProduct ops.Area[T] // one for each worker
}

// isNarrow reports whether ordinary tiles would be at most half full because c has few columns.
func (e *engine[T]) isNarrow() bool {
	return e.n <= e.kernel.MR && 2*e.n <= e.kernel.NR && e.m >= 2*e.kernel.NR
}

// narrowSteps returns one step. Each worker computes a share of the rows.
func (e *engine[T]) narrowSteps(threads int, s *ops.Scratch) ([]ops.Step, error) {
	k := e.kernel
	w := &narrow[T]{engine: e, chunk: narrowPanels * k.NR, lines: k.PanelsA(e.n) * k.MR}
	w.chunks = (e.m + w.chunk - 1) / w.chunk
	if old := e.epilogue; old != nil {
		w.flipped = &gemm.Epilogue[T]{RowBias: old.ColumnBias, Clamp: old.Clamp, Lo: old.Lo, Hi: old.Hi}
	}
	if e.constB != nil && e.sameB() {
		packed, err := e.once(e.packKey("rows"), sizeOf[T](k.PackedLenA(e.n, e.depth)), func() (any, error) {
			return k.PackAllA(e.stop, w.columns(matrixB(e.problem, e.constB(), 0)), e.n, e.depth), nil
		})
		if err != nil {
			return nil, err
		}
		e.packed = packed.(*gemm.Packed[T])
		e.release()
	}
	workers := min(e.shares(threads), e.batches*w.chunks)
	if w.packed == nil {
		w.areasLeft = ops.AreasOf[T](s, workers, w.lines, e.depth)
	}
	w.areasRight = ops.AreasOf[T](s, workers, w.chunk, e.depth)
	w.areasProduct = ops.AreasOf[T](s, workers, w.chunk, e.n)
	return []ops.Step{{N: workers, Grain: 1, Part: func(r *ops.Run, lo, hi int) error {
		from, to := parallel.Share(e.batches*w.chunks, workers, lo), parallel.Share(e.batches*w.chunks, workers, hi)
		for i := from; i < to && !r.Stop.Requested(); i++ {
			w.compute(r, lo, i/w.chunks, i%w.chunks)
		}
		return nil
	}}}, nil
}

// columns returns b transposed: its columns as rows.
func (w *narrow[T]) columns(b gemm.Matrix[T]) gemm.Matrix[T] {
	return gemm.Matrix[T]{Data: b.Data, RowStride: b.ColStride, ColStride: b.RowStride}
}

// compute computes a chunk of the rows of a batch.
func (w *narrow[T]) compute(r *ops.Run, worker, batch, chunk int) {
	k := w.kernel
	a, b, c, at := w.batch(r, batch)
	first := chunk * w.chunk
	rows := min(w.chunk, w.m-first)
	right := panels[T]{w.areasRight.Of(r, worker), k.PanelsB(rows) * k.NR}
	lines := gemm.Matrix[T]{Data: a.Data[first*a.RowStride:], RowStride: a.ColStride, ColStride: a.RowStride}
	var left panels[T]
	if w.packed == nil {
		left = panels[T]{w.areasLeft.Of(r, worker), w.lines}
		w.engine.packA(r.Stop, left, w.columns(b), w.n, 0, k.PanelsA(w.n))
	}
	product := w.areasProduct.Of(r, worker)
	for i := range k.Blocks(w.depth) {
		if i%16 == 15 && r.Stop.Requested() {
			return
		}
		k.PackB(w.block(right, i), lines, rows, w.depth, i, 0, k.PanelsB(rows))
		k.MultiplyThen(product, rows, w.blockLeft(left, i), w.block(right, i), w.depth, i, 0, w.n, 0, rows, w.flipped)
	}
	out := c[first*w.n:][:rows*w.n]
	for j := range w.n {
		o := j
		for _, v := range product[j*rows:][:rows] {
			out[o] = v
			o += w.n
		}
	}
	if w.finish != nil {
		w.finish(r, out, at+first*w.n)
	}
}

func (w *narrow[T]) blockLeft(left panels[T], i int) []T {
	if w.packed != nil {
		return w.packed.Block(i)
	}
	return w.block(left, i)
}
