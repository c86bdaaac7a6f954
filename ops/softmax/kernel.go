package softmax

import (
	"math"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/reduction"
	"github.com/vinoir/vinoir/internal/vmath"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/normalize"
)

// prepare returns the kernel that computes one line along axis after the other if lines are
// contiguous. Otherwise it computes adjacent lines together, row by row.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(attributes)
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	set := make([]bool, max(len(shape), 1))
	axis, err := index.Axis(at.axis, len(set))
	if err != nil {
		return nil, err
	}
	set[axis] = true
	l := normalize.NewLayout(shape, set[:len(shape)], p.Threads)
	c := normalize.Computation{F32: compute[float32](at.log, l.PerColumn), F64: compute[float64](at.log, l.PerColumn)}
	if l.PerColumn {
		c.ScratchRows = 3
	}
	if !at.log {
		c.Segments32 = vmath.Softmax
	}
	return normalize.Kernel(p, 0, l, c)
}

// compute returns the code for a block.
func compute[T normalize.Float](log, columns bool) func(*ops.Run, normalize.Block[T]) {
	switch {
	case columns && log:
		loops := normalize.LoopsOf[T]()
		return func(_ *ops.Run, b normalize.Block[T]) { logColumns(loops, &b) }
	case columns:
		loops := normalize.LoopsOf[T]()
		return func(_ *ops.Run, b normalize.Block[T]) { softmaxColumns(loops, &b) }
	case log:
		return func(_ *ops.Run, b normalize.Block[T]) { x, out := b.Row(0); logLine(b.Stop, x, out) }
	}
	return func(_ *ops.Run, b normalize.Block[T]) { x, out := b.Row(0); softmaxLine(b.Stop, x, out) }
}

// softmaxLine computes one line. out may be x.
func softmaxLine[T normalize.Float](stop parallel.Stop, x, out []T) {
	sum := normalize.ExpSum(stop, out, x, normalize.Max(stop, x))
	normalize.Affine(stop, out, out, 0, T(1/sum), 0)
}

// logLine computes one line. out may be x, so it does not keep the exponentials.
func logLine[T normalize.Float](stop parallel.Stop, x, out []T) {
	var piece [256]T
	m, sum, meter := normalize.Max(stop, x), 0.0, stop.Meter()
	for lo := 0; lo < len(x); lo += len(piece) {
		if meter.Spent(8 * len(piece)) {
			return
		}
		part := x[lo:min(lo+len(piece), len(x))]
		sum += normalize.ExpSum(nil, piece[:len(part)], part, m)
	}
	normalize.Affine(stop, out, x, m, 1, -T(math.Log(sum)))
}

// softmaxColumns computes the columns of a block.
func softmaxColumns[T normalize.Float](loops *normalize.Loops[T], b *normalize.Block[T]) {
	m, sum, meter := greatest(loops, b), b.ScratchRow(1), b.Stop.Meter()
	clear(sum)
	for i := range b.Rows {
		if meter.Spent(4*b.Cols + 8) {
			break
		}
		x, out := b.Row(i)
		loops.Subtract(out, x, m)
		loops.Exp(out, out)
		loops.Add(sum, sum, out)
	}
	for i, s := range sum {
		sum[i] = 1 / s
	}
	for i := range b.Rows {
		if meter.Spent(4*b.Cols + 8) {
			break
		}
		_, out := b.Row(i)
		loops.Multiply(out, out, sum)
	}
}

// logColumns computes the columns of a block.
func logColumns[T normalize.Float](loops *normalize.Loops[T], b *normalize.Block[T]) {
	m, sum, e := greatest(loops, b), b.ScratchRow(1), b.ScratchRow(2)
	meter := b.Stop.Meter()
	clear(sum)
	for i := range b.Rows {
		if meter.Spent(4*b.Cols + 8) {
			break
		}
		x, _ := b.Row(i)
		loops.Subtract(e, x, m)
		loops.Exp(e, e)
		loops.Add(sum, sum, e)
	}
	for i, s := range sum {
		sum[i] = T(math.Log(float64(s)))
	}
	// Adding the logarithm to m first would lose its bits if m is large.
	for i := range b.Rows {
		if meter.Spent(4*b.Cols + 8) {
			break
		}
		x, out := b.Row(i)
		loops.Subtract(out, x, m)
		loops.Subtract(out, out, sum)
	}
}

// greatest returns the greatest element of each column, in scratch row 0.
func greatest[T normalize.Float](loops *normalize.Loops[T], b *normalize.Block[T]) []T {
	m, meter := b.ScratchRow(0), b.Stop.Meter()
	if b.ReduceRows(reduction.Max, m) {
		return m
	}
	for i := range b.Rows {
		if meter.Spent(4*b.Cols + 8) {
			break
		}
		x, _ := b.Row(i)
		if i == 0 {
			copy(m, x)
			continue
		}
		loops.Maximum(m, x, m)
	}
	return m
}
