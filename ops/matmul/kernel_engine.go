package matmul

import (
	"cmp"
	"fmt"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ops"
)

// engine multiplies packed panels.
type engine[T gemm.Number] struct {
	*problem
	operands[T]
	kernel *gemm.Kernel[T]
	packed *gemm.Packed[T] // b, if it is constant
	// elements of a panel of b that each worker converts; 0 if b is no f16 or bf16
	panel int
	// Numbers of panels of a matrix, and of the rows of a and columns of b in these panels.
	panelsA, panelsB, linesA, linesB int
}

func newEngine[T gemm.Number](q *problem, o operands[T]) *engine[T] {
	k := cmp.Or(o.kernel, gemm.New[T]())
	k.Fit(q.depth)
	e := &engine[T]{problem: q, operands: o, kernel: k, panelsA: k.PanelsA(q.m), panelsB: k.PanelsB(q.n)}
	e.linesA, e.linesB = e.panelsA*k.MR, e.panelsB*k.NR
	return e
}

// sizeOf returns the bytes of n elements.
func sizeOf[T any](n int) int64 { return int64(n) * int64(unsafe.Sizeof(*new(T))) }

// packKey returns the key of a constant b that is packed as panels of its rows or columns.
func (e *engine[T]) packKey(panels string) string {
	return fmt.Sprint(panels, " of ", e.depth, " by ", e.n, ", strides ", e.bRow, " and ", e.bCol)
}

// packConstant packs b if it is constant, or returns what was packed for another shape of a.
func (e *engine[T]) packConstant() error {
	if e.constB == nil && e.packHalves == nil || !e.sameB() {
		return nil
	}
	n := e.kernel.PackedLenB(e.n, e.depth)
	size := sizeOf[T](n)
	if e.packHalves != nil {
		size = sizeOf[uint16](n)
	}
	packed, err := e.once(e.packKey("columns"), size, func() (any, error) {
		if e.packHalves != nil {
			return e.packHalves(e.kernel), nil
		}
		return e.kernel.PackAllB(e.stop, matrixB(e.problem, e.constB(), 0), e.n, e.depth), nil
	})
	if err != nil {
		return err
	}
	e.packed = packed.(*gemm.Packed[T])
	e.panel = e.kernel.PanelLen(e.packed, e.depth)
	e.release()
	return nil
}

const (
	// maxBlockRows limits the number of rows in a block of a, see blockPanels.
	maxBlockRows = 480
	// groupColumns is the approximate number of columns of c that are completed at a time, so that
	// they are still in the cache when the stages are applied to them.
	groupColumns = 256
	// finishPanels is the number of panels of rows that are multiplied by the last block before the
	// stages are applied to them.
	finishPanels = 6
)

// panels holds packed rows of a or columns of b, for all blocks of the depth. For a constant b of
// f16 or bf16, data is where a worker converts a panel.
type panels[T gemm.Number] struct {
	data  []T
	lines int // the number of rows or columns, rounded up to whole panels
}

// takePanels reserves memory for a number of matrices b if they are packed in each run, or for a
// number of workers that convert panels of a constant b.
func (e *engine[T]) takePanels(s *ops.Scratch, matrices, workers int) ops.Area[T] {
	switch {
	case e.packed == nil:
		return ops.AreasOf[T](s, matrices, e.linesB, e.depth)
	case e.panel > 0:
		return ops.AreasOf[T](s, workers, e.panel)
	}
	return ops.Area[T]{}
}

// panelsOf returns area i; the only one if there is one, and none if there are none.
func (e *engine[T]) panelsOf(r *ops.Run, areas ops.Area[T], i int) panels[T] {
	if areas.Len() == 0 {
		return panels[T]{}
	}
	return panels[T]{areas.Of(r, i), e.linesB}
}

// block returns the panels of block i of the depth.
func (e *engine[T]) block(p panels[T], i int) []T { return p.data[i*e.kernel.KC*p.lines:] }

// batch returns the matrices of a batch, and the element of the output at which c starts. b is not
// set if e.packed holds it.
func (e *engine[T]) batch(r *ops.Run, batch int) (a, b gemm.Matrix[T], c []T, at int) {
	atA, atB := e.offsets(batch)
	if e.packed == nil {
		b = matrixB(e.problem, e.b(r), atB)
	}
	size := e.m * e.n
	return matrixA(e.problem, e.a(r), atA), b, e.c(r)[batch*size:][:size], batch * size
}

// packA packs panels lo to hi-1 of a. It ends early if stop is requested.
func (e *engine[T]) packA(stop parallel.Stop, dst panels[T], a gemm.Matrix[T], m, lo, hi int) {
	for i := range e.kernel.Blocks(e.depth) {
		e.kernel.PackSomeA(stop, e.block(dst, i), a, m, e.depth, i, lo, hi)
	}
}

// packB packs panels lo to hi-1 of b. It ends early if stop is requested.
func (e *engine[T]) packB(stop parallel.Stop, dst panels[T], b gemm.Matrix[T], lo, hi int) {
	for i := range e.kernel.Blocks(e.depth) {
		e.kernel.PackSomeB(stop, e.block(dst, i), b, e.n, e.depth, i, lo, hi)
	}
}

// multiply computes rows mLo to mHi-1 and columns nLo to nHi-1 of c, which starts at element `at`
// of the output. a starts at row first. It ends early if r must stop.
func (e *engine[T]) multiply(r *ops.Run, c []T, at int, a, b panels[T], first, mLo, mHi, nLo, nHi int) {
	for n := nLo; n < nHi; n += e.group() {
		end := min(n+e.group(), nHi)
		last := e.kernel.Blocks(e.depth) - 1
		for i := range last {
			if r.Stop.Requested() {
				return
			}
			e.multiplyBlock(c, a, b, i, first, mLo, mHi, n, end)
		}
		e.multiplyLast(r, c, at, a, b, first, mLo, mHi, n, end)
	}
}

// group returns the number of columns that are completed before the stages are applied to them.
func (e *engine[T]) group() int { return groupColumns / e.kernel.NR * e.kernel.NR }

// multiplyLast multiplies by the last block of the depth, and applies the stages to the result.
func (e *engine[T]) multiplyLast(r *ops.Run, c []T, at int, a, b panels[T], first, mLo, mHi, nLo, nHi int) {
	last, rows := e.kernel.Blocks(e.depth)-1, mHi-mLo
	if e.finish != nil && e.panel == 0 { // a panel is converted once for all rows
		rows = finishPanels * e.kernel.MR
	}
	for m := mLo; m < mHi && !r.Stop.Requested(); m += rows {
		end := min(m+rows, mHi)
		if e.quads != nil {
			q := e.quads(r, at/(e.m*e.n))
			e.multiplyQuads(c, a, b, last, first, m, end, nLo, nHi, &q)
		} else {
			e.multiplyBlock(c, a, b, last, first, m, end, nLo, nHi)
		}
		e.finishColumns(r, c, at, m, end, nLo, nHi)
	}
}

// multiplyBlock multiplies by one block of the depth. The last one of quads is multiplied by
// multiplyQuads.
func (e *engine[T]) multiplyBlock(c []T, a, b panels[T], i, first, mLo, mHi, nLo, nHi int) {
	if e.quads != nil {
		e.multiplyQuads(c, a, b, i, first, mLo, mHi, nLo, nHi, &gemm.Quads{})
		return
	}
	c, left := c[first*e.n:], e.block(a, i)
	if e.packed != nil {
		e.kernel.MultiplyPacked(c, e.n, left, e.packed, e.depth, i, mLo-first, mHi-first, nLo, nHi, e.epilogue, b.data)
		return
	}
	e.kernel.MultiplyThen(c, e.n, left, e.block(b, i), e.depth, i, mLo-first, mHi-first, nLo, nHi, e.epilogue)
}

// multiplyQuads is multiplyBlock for quads; T is float32. q has numbers of all rows, or none before
// the last block.
func (e *engine[T]) multiplyQuads(c []T, a, b panels[T], i, first, mLo, mHi, nLo, nHi int, q *gemm.Quads) {
	if q.Scale != nil {
		q.Scale = q.Scale[first:]
	}
	if bias := &q.Epilogue.RowBias; *bias != nil {
		*bias = (*bias)[first:]
	}
	k, _ := any(e.kernel).(*gemm.Kernel[float32])
	gemm.MultiplyQuads(k, cast.Slice[float32](c[first*e.n:]), e.n, cast.Slice[float32](e.block(a, i)), cast.Slice[float32](e.block(b, i)),
		e.depth, i, mLo-first, mHi-first, nLo, nHi, q)
}

// finishColumns applies the stages to rows mLo to mHi-1, columns nLo to nHi-1 of c.
func (e *engine[T]) finishColumns(r *ops.Run, c []T, at, mLo, mHi, nLo, nHi int) {
	switch {
	case e.finish == nil:
	case nLo == 0 && nHi == e.n:
		e.finish(r, c[mLo*e.n:mHi*e.n], at+mLo*e.n)
	default:
		for m := mLo; m < mHi; m++ {
			e.finish(r, c[m*e.n+nLo:m*e.n+nHi], at+m*e.n+nLo)
		}
	}
}

// computeRows computes the rows of panels lo to hi-1 of a, and columns nLo to nHi-1. It packs a
// block of a at a time into packA. It ends early if r must stop.
func (e *engine[T]) computeRows(r *ops.Run, batch int, packA []T, b panels[T], lo, hi, nLo, nHi int) {
	matrix, _, c, at := e.batch(r, batch)
	count := e.blockPanels(hi - lo)
	for ; lo < hi; lo += count {
		end := min(lo+count, hi)
		first := lo * e.kernel.MR
		last := min(end*e.kernel.MR, e.m)
		a := panels[T]{packA, (end - lo) * e.kernel.MR}
		rows := gemm.Matrix[T]{Data: matrix.Data[first*e.aRow:], RowStride: e.aRow, ColStride: e.aCol}
		// The first group of columns is multiplied while each block of a is still in the cache.
		next := min(nLo+e.group(), nHi)
		for i := range e.kernel.Blocks(e.depth) {
			if r.Stop.Requested() {
				return
			}
			e.kernel.PackA(e.block(a, i), rows, last-first, e.depth, i, 0, end-lo)
			if i < e.kernel.Blocks(e.depth)-1 {
				e.multiplyBlock(c, a, b, i, first, first, last, nLo, next)
			}
		}
		e.multiplyLast(r, c, at, a, b, first, first, last, nLo, next)
		e.multiply(r, c, at, a, b, first, first, last, next, nHi)
	}
}

// blockPanels returns the number of panels in a block of a. All blocks have nearly the same size. A
// block, at the depth KC, takes up to two fifths of the second-level cache, so that it stays there
// while the panels of b are read.
// It is not inlined, as it has many callers.
//
//go:noinline
func (e *engine[T]) blockPanels(panels int) int {
	k := e.kernel
	rows := cpu.L2 * 2 / 5 / (min(e.depth, k.KC) * int(unsafe.Sizeof(*new(T))))
	most := max(min(rows, maxBlockRows)/k.MR, 1)
	blocks := (panels + most - 1) / most
	return (panels + blocks - 1) / max(blocks, 1)
}
