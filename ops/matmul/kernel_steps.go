package matmul

import (
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ops"
)

// shares returns the number of shares that the work is split into. A small amount of work has one
// share for each thread. A core then mostly gets the same share as in the previous run, whose
// panels are in its cache, and cache lines that belong to another core are slow to write. A large
// amount of work has more shares than threads, so that a thread that starts late leaves some shares
// to the other threads. The steps divide by shares, not by the parts of Run.For, because each share
// packs a or b for itself.
func (e *engine) shares(threads int) int {
	const short = 1 << 27 // multiplications for each thread
	if work := float64(e.batches) * float64(e.m) * float64(e.n) * float64(e.depth); threads == 1 || work/float64(threads) < short {
		return threads
	}
	return 4 * threads
}

// plan splits the work. If there are enough products, each thread computes whole products.
// Otherwise the threads split one product after the other: by columns if b has much to pack or a
// has few rows, or by rows if there are many. Otherwise they split all products into tiles.
func (e *engine) plan(threads int, s *ops.Scratch) []ops.Step {
	switch {
	case e.batches%threads == 0 || e.batches >= 4*threads:
		return e.batchSteps(threads, s)
	case e.panelsB >= columnPanels*threads && (e.packed == nil || e.panelsA <= 2):
		return e.columnSteps(threads, s)
	case e.panelsA >= 16*threads:
		return e.rowSteps(threads, s)
	}
	return e.tileSteps(threads, s)
}

// batchSteps returns one step. Each worker multiplies its share of the batches and has its own
// scratch memory.
func (e *engine) batchSteps(threads int, s *ops.Scratch) []ops.Step {
	workers := min(e.shares(threads), e.batches)
	areasA := ops.AreasOf[gemm.Lane](s, workers, e.blockPanels(e.panelsA)*e.kernel.MR, e.depth)
	areasB := e.takePanels(s, workers, workers)
	part := func(r *ops.Run, lo, hi int) error {
		packA, packB := areasA.Of(r, lo), e.panelsOf(r, areasB, lo)
		packed := -1 // offset of the matrix b that packB holds
		batch, end := parallel.Share(e.batches, workers, lo), parallel.Share(e.batches, workers, hi)
		for ; batch < end && !r.Stop.Requested(); batch++ {
			if _, at := e.offsets(batch); e.packed == nil && at != packed {
				_, b, _, _ := e.batch(r, batch)
				e.packB(r.Stop, packB, b, 0, e.panelsB)
				packed = at
			}
			e.computeRows(r, batch, packA, packB, 0, e.panelsA, 0, e.n)
		}
		return nil
	}
	return []ops.Step{{N: workers, Grain: 1, Part: part}}
}

// columnPanels is the number of panels of b per thread from which on it is cheaper if each thread
// packs a for itself than if they share it.
const columnPanels = 6

// columnSteps returns a step for each batch. Each thread computes a share of the columns, and packs
// what it needs.
func (e *engine) columnSteps(threads int, s *ops.Scratch) []ops.Step {
	areasA := ops.AreasOf[gemm.Lane](s, threads, e.blockPanels(e.panelsA)*e.kernel.MR, e.depth)
	areasB := e.takePanels(s, 1, threads)
	var steps []ops.Step
	for batch := range e.batches {
		steps = append(steps, ops.Step{N: threads, Grain: 1, Part: func(r *ops.Run, lo, hi int) error {
			from, to := parallel.Share(e.panelsB, threads, lo), parallel.Share(e.panelsB, threads, hi)
			packB := e.panelsOf(r, areasB, lo)
			if e.packed == nil {
				_, b, _, _ := e.batch(r, batch)
				e.packB(r.Stop, packB, b, from, to)
			}
			e.computeRows(r, batch, areasA.Of(r, lo), packB, 0, e.panelsA, from*e.kernel.NR, min(to*e.kernel.NR, e.n))
			return nil
		}})
	}
	return steps
}

// rowSteps returns steps that compute one batch after the other: they pack b and then multiply.
// Each worker computes a share of the rows.
func (e *engine) rowSteps(threads int, s *ops.Scratch) []ops.Step {
	workers := e.shares(threads)
	areasB := e.takePanels(s, 1, workers)
	// A share has most or most-1 panels. The block for the smaller share can be the larger one.
	most := parallel.Share(e.panelsA, workers, 1)
	areasA := ops.AreasOf[gemm.Lane](s, workers, max(e.blockPanels(most), e.blockPanels(most-1))*e.kernel.MR, e.depth)
	var steps []ops.Step
	for batch := range e.batches {
		if e.packed == nil {
			steps = append(steps, ops.Step{N: e.panelsB, Grain: e.packGrain(threads, e.panelsB), Part: func(r *ops.Run, lo, hi int) error {
				_, b, _, _ := e.batch(r, batch)
				e.packB(r.Stop, e.panelsOf(r, areasB, 0), b, lo, hi)
				return nil
			}})
		}
		steps = append(steps, ops.Step{N: workers, Grain: 1, Part: func(r *ops.Run, lo, hi int) error {
			for ; lo < hi; lo++ {
				e.computeRows(r, batch, areasA.Of(r, lo), e.panelsOf(r, areasB, lo), parallel.Share(e.panelsA, workers, lo), parallel.Share(e.panelsA, workers, lo+1), 0, e.n)
			}
			return nil
		}})
	}
	return steps
}

// packGrain returns the grain for packing n panels: a share for each thread (see shares), but not
// less than is worth another thread.
func (e *engine) packGrain(threads, n int) int {
	const packWork = 4 // multiplications that take as long as packing one element
	return max(grainOf(packWork*max(e.kernel.MR, e.kernel.NR)*e.depth), n/threads)
}

// tileSteps returns two steps for all batches: the first packs, and the second multiplies tiles of
// some rows by one panel of b.
func (e *engine) tileSteps(threads int, s *ops.Scratch) []ops.Step {
	areasA := ops.AreasOf[gemm.Lane](s, e.batches, e.linesA, e.depth)
	cuts := e.rowCuts(threads)
	tiles := cuts * e.panelsB // of each batch
	n := e.batches * tiles
	grain := max(grainOf(e.m/cuts*e.kernel.NR*e.depth), n/e.shares(threads))
	workers := (n + grain - 1) / grain
	areasB := e.takePanels(s, e.batches, workers)
	packed := e.panelsA // of each batch
	if e.packed == nil {
		packed += e.panelsB
	}
	pack := func(r *ops.Run, lo, hi int) error {
		for lo < hi {
			batch, from := lo/packed, lo%packed
			to := min(from+hi-lo, packed)
			a, b, _, _ := e.batch(r, batch)
			if from < e.panelsA {
				e.packA(r.Stop, panels{areasA.Of(r, batch), e.linesA}, a, e.m, from, min(to, e.panelsA))
			}
			if to > e.panelsA {
				e.packB(r.Stop, panels{areasB.Of(r, batch), e.linesB}, b, max(from, e.panelsA)-e.panelsA, to-e.panelsA)
			}
			lo += to - from
		}
		return nil
	}
	// multiply computes tiles lo to hi-1. worker is ignored if b is not converted.
	multiply := func(r *ops.Run, worker, lo, hi int) {
		for lo < hi {
			batch, tile := lo/tiles, lo%tiles
			cut, from := tile/e.panelsB, tile%e.panelsB
			to := min(from+hi-lo, e.panelsB)
			area := batch
			if e.packed != nil {
				area = worker
			}
			a, b := panels{areasA.Of(r, batch), e.linesA}, e.panelsOf(r, areasB, area)
			_, _, c, at := e.batch(r, batch)
			mLo, mHi := parallel.Share(e.panelsA, cuts, cut)*e.kernel.MR, min(parallel.Share(e.panelsA, cuts, cut+1)*e.kernel.MR, e.m)
			e.multiply(r, part{c, at, a, b, 0, mLo, mHi, from * e.kernel.NR, min(to*e.kernel.NR, e.n)})
			lo += to - from
		}
	}
	last := ops.Step{N: n, Grain: grain, Part: func(r *ops.Run, lo, hi int) error {
		multiply(r, 0, lo, hi)
		return nil
	}}
	if e.panel > 0 {
		last = ops.Step{N: workers, Grain: 1, Part: func(r *ops.Run, lo, hi int) error {
			for ; lo < hi; lo++ {
				multiply(r, lo, parallel.Share(n, workers, lo), parallel.Share(n, workers, lo+1))
			}
			return nil
		}}
	}
	return []ops.Step{{N: e.batches * packed, Grain: e.packGrain(threads, e.batches*packed), Part: pack}, last}
}

// rowCuts returns the number of shares that the rows are split into. Each thread then has the same
// number of tiles, or so many tiles that a difference does not matter.
func (e *engine) rowCuts(threads int) int {
	cuts := 1
	for 2*cuts < e.panelsA {
		if tiles := e.batches * cuts * e.panelsB; tiles%threads == 0 || tiles >= 8*threads {
			break
		}
		cuts++
	}
	return cuts
}

// flops returns the number of multiplications and additions.
func (q *problem) flops() float64 {
	return 2 * float64(q.batches) * float64(q.m) * float64(q.n) * float64(q.depth)
}

// product returns the steps that multiply the operands, and the name of the algorithm.
func product(p *ops.Preparation, q *problem, o operands, s *ops.Scratch) (steps []ops.Step, algorithm string, err error) {
	floats := o.kernel.Operands == gemm.Floats && o.packHalves == nil
	switch {
	case q.depth == 0:
		return []ops.Step{{N: 1, Grain: 1, Part: func(r *ops.Run, _, _ int) error {
			c := o.c(r)
			clear(c)
			if o.finish != nil {
				o.finish(r, c, 0)
			}
			return nil
		}}}, "nothing to add", nil
	case q.m == 1 && floats:
		return vectorSteps(q, &o), "matrix-vector", nil
	}
	e := newEngine(q, o)
	algorithm = "gemm " + e.kernel.String()
	if e.isNarrow() && o.scales == nil && o.packHalves == nil {
		steps, err = e.narrowSteps(max(p.Threads, 1), s)
		return steps, algorithm, err
	}
	if err := e.packConstant(); err != nil {
		return nil, "", err
	}
	if floats && isSmall(e) {
		return smallSteps(e), algorithm, nil
	}
	return e.plan(max(p.Threads, 1), s), algorithm, nil
}
