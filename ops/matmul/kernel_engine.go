package matmul

import (
	"fmt"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ops"
)

// engine multiplies packed panels.
type engine struct {
	*problem
	operands
	packed *gemm.Packed[gemm.Lane] // b, if it is constant
	// elements of a panel of b that each worker converts; 0 if b is no f16 or bf16
	panel int
	// Numbers of panels of a matrix, and of the rows of a and columns of b in these panels.
	panelsA, panelsB, linesA, linesB int
}

func newEngine(q *problem, o operands) *engine {
	k := o.kernel
	k.Fit(q.depth)
	e := &engine{problem: q, operands: o, panelsA: k.PanelsA(q.m), panelsB: k.PanelsB(q.n)}
	e.linesA, e.linesB = e.panelsA*k.MR, e.panelsB*k.NR
	return e
}

// lanesOf returns what returns the elements of an area as lanes.
func lanesOf[E ~float32](a ops.Area[E]) func(*ops.Run) []gemm.Lane {
	return func(r *ops.Run) []gemm.Lane { return cast.Slice[gemm.Lane](a.In(r)) }
}

// sizeOf returns the bytes of n elements.
func sizeOf[T any](n int) int64 { return int64(n) * int64(unsafe.Sizeof(*new(T))) }

// packKey returns the key of a constant b that is packed as panels of its rows or columns.
func (e *engine) packKey(panels string) string {
	return fmt.Sprint(panels, " of ", e.depth, " by ", e.n, ", strides ", e.bRow, " and ", e.bCol)
}

// packConstant packs b if it is constant, or returns what was packed for another shape of a.
func (e *engine) packConstant() error {
	if e.constB == nil && e.packHalves == nil || !e.sameB() {
		return nil
	}
	n := e.kernel.PackedLenB(e.n, e.depth)
	size := sizeOf[gemm.Lane](n)
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
	e.packed = packed.(*gemm.Packed[gemm.Lane])
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
type panels struct {
	data  []gemm.Lane
	lines int // the number of rows or columns, rounded up to whole panels
}

// takePanels reserves memory for a number of matrices b if they are packed in each run, or for a
// number of workers that convert panels of a constant b.
func (e *engine) takePanels(s *ops.Scratch, matrices, workers int) ops.Area[gemm.Lane] {
	switch {
	case e.packed == nil:
		return ops.AreasOf[gemm.Lane](s, matrices, e.linesB, e.depth)
	case e.panel > 0:
		return ops.AreasOf[gemm.Lane](s, workers, e.panel)
	}
	return ops.Area[gemm.Lane]{}
}

// panelsOf returns area i; the only one if there is one, and none if there are none.
func (e *engine) panelsOf(r *ops.Run, areas ops.Area[gemm.Lane], i int) panels {
	if areas.Len() == 0 {
		return panels{}
	}
	return panels{areas.Of(r, i), e.linesB}
}

// block returns the panels of block i of the depth.
func (e *engine) block(p panels, i int) []gemm.Lane { return p.data[i*e.kernel.KC*p.lines:] }

// batch returns the matrices of a batch, and the element of the output at which c starts. b is not
// set if e.packed holds it.
func (e *engine) batch(r *ops.Run, batch int) (a, b gemm.Matrix[gemm.Lane], c []float32, at int) {
	atA, atB := e.offsets(batch)
	if e.packed == nil {
		b = matrixB(e.problem, e.b(r), atB)
	}
	size := e.m * e.n
	return matrixA(e.problem, e.a(r), atA), b, e.c(r)[batch*size:][:size], batch * size
}

// packA packs panels lo to hi-1 of a. It ends early if stop is requested.
func (e *engine) packA(stop parallel.Stop, dst panels, a gemm.Matrix[gemm.Lane], m, lo, hi int) {
	for i := range e.kernel.Blocks(e.depth) {
		e.kernel.PackSomeA(stop, e.block(dst, i), a, m, e.depth, i, lo, hi)
	}
}

// packB packs panels lo to hi-1 of b. It ends early if stop is requested.
func (e *engine) packB(stop parallel.Stop, dst panels, b gemm.Matrix[gemm.Lane], lo, hi int) {
	for i := range e.kernel.Blocks(e.depth) {
		e.kernel.PackSomeB(stop, e.block(dst, i), b, e.n, e.depth, i, lo, hi)
	}
}

// part is rows mLo to mHi-1 and columns nLo to nHi-1 of c, which starts at element `at` of the
// output. a starts at row first.
type part struct {
	c                         []float32
	at                        int
	a, b                      panels
	first, mLo, mHi, nLo, nHi int
}

// multiply computes p. It ends early if r must stop.
func (e *engine) multiply(r *ops.Run, p part) {
	end := p.nHi
	for ; p.nLo < end; p.nLo += e.group() {
		p.nHi = min(p.nLo+e.group(), end)
		last := e.kernel.Blocks(e.depth) - 1
		for i := range last {
			if r.Stop.Requested() {
				return
			}
			e.multiplyBlock(&p, i, nil)
		}
		e.multiplyLast(r, p)
	}
}

// group returns the number of columns that are completed before the stages are applied to them.
func (e *engine) group() int { return groupColumns / e.kernel.NR * e.kernel.NR }

// multiplyLast multiplies by the last block of the depth, and applies the stages to the result.
func (e *engine) multiplyLast(r *ops.Run, p part) {
	last, rows, end := e.kernel.Blocks(e.depth)-1, p.mHi-p.mLo, p.mHi
	if e.finish != nil && e.panel == 0 { // a panel is converted once for all rows
		rows = finishPanels * e.kernel.MR
	}
	steps := e.operands.steps
	var own [2]gemm.Step
	if e.scales != nil {
		own[0] = gemm.Step{Op: gemm.ScaleRows, Values: e.scales[p.first:]}
		steps = own[:1]
		if e.sums != nil {
			own[1] = gemm.Step{Op: gemm.AddRows, Values: e.sums(r, p.at/(e.m*e.n))[p.first:]}
			steps = own[:2]
		}
	}
	for ; p.mLo < end && !r.Stop.Requested(); p.mLo += rows {
		p.mHi = min(p.mLo+rows, end)
		e.multiplyBlock(&p, last, steps)
		e.finishColumns(r, &p)
	}
}

// multiplyBlock multiplies by one block of the depth. The last one has steps.
func (e *engine) multiplyBlock(p *part, i int, steps []gemm.Step) {
	block := gemm.Product[gemm.Lane, gemm.Lane]{
		C: cast.Slice[gemm.Lane](p.c[p.first*e.n:]), LDC: e.n, A: e.block(p.a, i), Depth: e.depth, Block: i,
		MLo: p.mLo - p.first, MHi: p.mHi - p.first, NLo: p.nLo, NHi: p.nHi, Steps: steps,
	}
	if e.packed != nil {
		e.kernel.MultiplyPacked(&block, e.packed, p.b.data)
		return
	}
	block.B = e.block(p.b, i)
	e.kernel.Multiply(&block)
}

// finishColumns applies the stages to p.
func (e *engine) finishColumns(r *ops.Run, p *part) {
	switch {
	case e.finish == nil:
	case p.nLo == 0 && p.nHi == e.n:
		e.finish(r, p.c[p.mLo*e.n:p.mHi*e.n], p.at+p.mLo*e.n)
	default:
		for m := p.mLo; m < p.mHi; m++ {
			e.finish(r, p.c[m*e.n+p.nLo:m*e.n+p.nHi], p.at+m*e.n+p.nLo)
		}
	}
}

// computeRows computes the rows of panels lo to hi-1 of a, and columns nLo to nHi-1. It packs a
// block of a at a time into packA. It ends early if r must stop.
func (e *engine) computeRows(r *ops.Run, batch int, packA []gemm.Lane, b panels, lo, hi, nLo, nHi int) {
	matrix, _, c, at := e.batch(r, batch)
	count := e.blockPanels(hi - lo)
	for ; lo < hi; lo += count {
		end := min(lo+count, hi)
		first := lo * e.kernel.MR
		last := min(end*e.kernel.MR, e.m)
		a := panels{packA, (end - lo) * e.kernel.MR}
		rows := gemm.Matrix[gemm.Lane]{Data: matrix.Data[first*e.aRow:], RowStride: e.aRow, ColStride: e.aCol}
		// The first group of columns is multiplied while each block of a is still in the cache.
		next := min(nLo+e.group(), nHi)
		p := part{c, at, a, b, first, first, last, nLo, next}
		for i := range e.kernel.Blocks(e.depth) {
			if r.Stop.Requested() {
				return
			}
			e.kernel.PackA(e.block(a, i), rows, last-first, e.depth, i, 0, end-lo)
			if i < e.kernel.Blocks(e.depth)-1 {
				e.multiplyBlock(&p, i, nil)
			}
		}
		e.multiplyLast(r, p)
		p.nLo, p.nHi = next, nHi
		e.multiply(r, p)
	}
}

// blockPanels returns the number of panels in a block of a. All blocks have nearly the same size. A
// block, at the depth KC, takes up to two fifths of the second-level cache, so that it stays there
// while the panels of b are read. It is not inlined: its callers would be 0.8 KiB larger.
//
//go:noinline
func (e *engine) blockPanels(panels int) int {
	k := e.kernel
	rows := cpu.L2 * 2 / 5 / (min(e.depth, k.KC) * int(unsafe.Sizeof(*new(gemm.Lane))))
	most := max(min(rows, maxBlockRows)/k.MR, 1)
	blocks := (panels + most - 1) / most
	return (panels + blocks - 1) / max(blocks, 1)
}
