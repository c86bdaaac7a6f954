package matmul

import (
	"errors"
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/ops"
)

// scratch hands out parts of the scratch memory of a kernel.
type scratch struct{ bytes int }

// area is a part of the scratch memory: n elements from a byte on.
type area[T gemm.Number] struct{ at, n int }

// errMemory says that packing needs more memory than the platform can address.
var errMemory = errors.New("packing the matrices needs more bytes than fit an int")

// take reserves rows*columns elements at a cache line.
func take[T gemm.Number](s *scratch, rows, columns int) (area[T], error) {
	const line = 64
	limit := (math.MaxInt - line - s.bytes) / int(unsafe.Sizeof(*new(T)))
	if columns > 0 && rows > limit/columns {
		return area[T]{}, errMemory
	}
	a := area[T]{s.bytes, rows * columns}
	s.bytes += (a.n*int(unsafe.Sizeof(*new(T))) + line - 1) &^ (line - 1)
	return a, nil
}

func (a area[T]) of(r *ops.Run) []T {
	return cast.Bytes[T](r.Scratch[a.at:])[:a.n]
}

// engine multiplies with packed panels.
type engine[T gemm.Number] struct {
	*problem
	operands[T]
	kernel *gemm.Kernel[T]
	packed *gemm.Packed[T] // b, where it is constant
}

// blockRows is the number of rows of a block of a that stay in the cache of a
// core while the panels of b pass by.
const blockRows = 240

// batchSteps returns one step in which each worker multiplies its share of the
// batches, with scratch memory of its own.
func (e *engine[T]) batchSteps(threads int, s *scratch) ([]step, error) {
	workers := max(min(threads, e.batches), 1)
	depth := min(e.depth, e.kernel.KC)
	areasA, areasB := make([]area[T], workers), make([]area[T], workers)
	for i := range workers {
		var err error
		if areasA[i], err = take[T](s, e.kernel.PanelsA(min(e.m, blockRows))*e.kernel.MR, depth); err != nil {
			return nil, err
		}
		if e.packed != nil {
			continue
		}
		if areasB[i], err = take[T](s, e.kernel.PanelsB(e.n)*e.kernel.NR, depth); err != nil {
			return nil, err
		}
	}
	part := func(r *ops.Run, lo, hi int) error {
		packA, packB := areasA[lo].of(r), areasB[lo].of(r)
		for batch := share(e.batches, workers, lo); batch < share(e.batches, workers, hi); batch++ {
			e.multiply(r, batch, packA, packB)
		}
		return nil
	}
	return []step{{workers, 1, part}}, nil
}

// share returns where the share of a worker of n items starts.
func share(n, workers, worker int) int { return n/workers*worker + min(worker, n%workers) }

// multiply computes one batch on one thread.
func (e *engine[T]) multiply(r *ops.Run, batch int, packA, packB []T) {
	a, b, c := e.batch(r, batch)
	k := e.kernel
	for i := range k.Blocks(e.depth) {
		panels := packB
		if e.packed != nil {
			panels = e.packed.Block(i)
		} else {
			k.PackB(panels, b, e.n, e.depth, i, 0, k.PanelsB(e.n))
		}
		e.rows(a, packA, panels, c, i, 0, k.PanelsA(e.m), 0, e.n)
	}
}

// batch returns the matrices of a batch.
func (e *engine[T]) batch(r *ops.Run, batch int) (a, b gemm.Matrix[T], c []T) {
	atA, atB := e.offsets(batch)
	size := e.m * e.n
	return matrixA(e.problem, e.a(r), atA), matrixB(e.problem, e.b(r), atB), e.c(r)[batch*size:][:size]
}

// rows multiplies panels lo to hi-1 of block i of a, which it packs blockRows at a
// time, into columns nLo to nHi-1 of c.
func (e *engine[T]) rows(a gemm.Matrix[T], packA, panelsB, c []T, i, lo, hi, nLo, nHi int) {
	k := e.kernel
	count := blockRows / k.MR
	for ; lo < hi; lo += count {
		next := min(lo+count, hi)
		first := lo * k.MR
		rows := gemm.Matrix[T]{Data: a.Data[first*a.RowStride:], RowStride: a.RowStride, ColStride: a.ColStride}
		m := min(next*k.MR, e.m) - first
		k.PackA(packA, rows, m, e.depth, i, 0, next-lo)
		k.Multiply(c[first*e.n:], e.n, packA, panelsB, e.depth, i, 0, m, nLo, nHi)
	}
}

// threadSteps returns steps that work on one batch after the other, block by
// block: pack b, then multiply, in which each worker has a share of the rows or,
// where these are few, of the columns.
func (e *engine[T]) threadSteps(threads int, s *scratch) ([]step, error) {
	k := e.kernel
	depth := min(e.depth, k.KC)
	var packB area[T]
	if e.packed == nil {
		var err error
		if packB, err = take[T](s, k.PanelsB(e.n)*k.NR, depth); err != nil {
			return nil, err
		}
	}
	workers := min(4*threads, k.PanelsA(e.m), 1+e.m*e.n*depth/partWork)
	byRows := k.PanelsA(e.m) >= 4*threads || e.m >= e.n
	rows := min(e.m, blockRows)
	if !byRows {
		workers, rows = 1, e.m
	}
	packA := make([]area[T], workers)
	for i := range packA {
		var err error
		if packA[i], err = take[T](s, k.PanelsA(rows)*k.MR, depth); err != nil {
			return nil, err
		}
	}
	var steps []step
	for batch := range e.batches {
		for i := range k.Blocks(e.depth) {
			if e.packed == nil {
				steps = append(steps, e.packStep(batch, i, packB))
			}
			if byRows {
				steps = append(steps, e.rowStep(batch, i, packA, packB))
			} else {
				steps = append(steps, e.columnSteps(batch, i, packA[0], packB)...)
			}
		}
	}
	return steps, nil
}

func (e *engine[T]) packStep(batch, i int, packB area[T]) step {
	panels := e.kernel.PanelsB(e.n)
	return step{panels, grainOf(4 * e.kernel.NR * e.kernel.KC), func(r *ops.Run, lo, hi int) error {
		_, b, _ := e.batch(r, batch)
		e.kernel.PackB(packB.of(r), b, e.n, e.depth, i, lo, hi)
		return nil
	}}
}

// panelsB returns the panels of block i of b.
func (e *engine[T]) panelsB(r *ops.Run, i int, packB area[T]) []T {
	if e.packed != nil {
		return e.packed.Block(i)
	}
	return packB.of(r)
}

// rowStep gives each of the workers, as many as packA has areas, a share of the
// rows.
func (e *engine[T]) rowStep(batch, i int, packA []area[T], packB area[T]) step {
	panels, workers := e.kernel.PanelsA(e.m), len(packA)
	return step{workers, 1, func(r *ops.Run, lo, hi int) error {
		a, _, c := e.batch(r, batch)
		e.rows(a, packA[lo].of(r), e.panelsB(r, i, packB), c, i, share(panels, workers, lo), share(panels, workers, hi), 0, e.n)
		return nil
	}}
}

// columnSteps packs all rows, then splits the columns.
func (e *engine[T]) columnSteps(batch, i int, packA, packB area[T]) []step {
	k := e.kernel
	pack := step{k.PanelsA(e.m), grainOf(4 * k.MR * k.KC), func(r *ops.Run, lo, hi int) error {
		a, _, _ := e.batch(r, batch)
		k.PackA(packA.of(r), a, e.m, e.depth, i, lo, hi)
		return nil
	}}
	multiply := step{k.PanelsB(e.n), grainOf(e.m * k.NR * k.Depth(i, e.depth)), func(r *ops.Run, lo, hi int) error {
		_, _, c := e.batch(r, batch)
		k.Multiply(c, e.n, packA.of(r), e.panelsB(r, i, packB), e.depth, i, 0, e.m, lo*k.NR, min(hi*k.NR, e.n))
		return nil
	}}
	return []step{pack, multiply}
}
