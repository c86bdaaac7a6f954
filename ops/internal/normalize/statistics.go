package normalize

import (
	"math"

	"github.com/vinoir/vinoir/internal/reduction"
	"github.com/vinoir/vinoir/internal/vmath"
	"github.com/vinoir/vinoir/ops"
)

// Mean returns the mean of all elements of the block.
func (b *Block[T]) Mean() T {
	sum, meter := 0.0, b.Stop.Meter()
	for i := range b.Rows {
		if meter.Spent(b.Cols + 8) {
			break
		}
		x, _ := b.Row(i)
		sum += Sum(b.Stop, x)
	}
	return T(sum / float64(b.Rows*b.Cols))
}

// Variance returns the mean of (x-mean)*(x-mean) over all elements of the block.
func (b *Block[T]) Variance(mean T) float64 { return b.squares(mean) / float64(b.Rows*b.Cols) }

// squares returns the sum of (x-m)*(x-m) over all elements of the block.
func (b *Block[T]) squares(m T) float64 {
	sum, meter := 0.0, b.Stop.Meter()
	for i := range b.Rows {
		if meter.Spent(b.Cols + 8) {
			break
		}
		x, _ := b.Row(i)
		sum += SumSquaredDifferences(b.Stop, x, m)
	}
	return sum
}

// L2Norm is the computation that divides by an L2 norm:
//
//	out = x / sqrt(s+Eps), or x / sqrt(max(s, Eps)) if Max is true
//
// where s is the sum of the squares of the elements that are reduced.
type L2Norm struct {
	Eps float64
	Max bool
}

// Computation returns the computation for a layout.
func (n L2Norm) Computation(l *Layout) Computation {
	c := Computation{F32: l2Norm[float32](n, l), F64: l2Norm[float64](n, l)}
	if l.PerColumn {
		c.ScratchRows = 2
		return c
	}
	// The assembly computes in float32, in which an eps must be a normal number.
	if e := math.Abs(n.Eps); reduction.CanNormalize(l.RowLength) && (e == 0 || e > 1e-37 && e < 1e37) {
		eps, least := float32(n.Eps), float32(math.Inf(-1))
		if n.Max {
			eps, least = 0, eps
		}
		c.Segments32 = func(out, x []float32, n int) { reduction.DivideByNorms(out, x, n, eps, least) }
		return c
	}
	c.Segments32 = func(out, x []float32, row int) {
		for ; len(x) > 0; x, out = x[row:], out[row:] {
			vmath.Affine(out[:row], x[:row], 0, float32(n.factor(vmath.Squares(x[:row], 0))), 0)
		}
	}
	return c
}

// l2Norm returns the code of the computation in T.
func l2Norm[T Float](n L2Norm, l *Layout) func(*ops.Run, Block[T]) {
	if l.PerColumn {
		loops := LoopsOf[T]()
		return func(_ *ops.Run, b Block[T]) { l2NormOfColumns(n, loops, &b) }
	}
	return func(_ *ops.Run, b Block[T]) {
		meter := b.Stop.Meter()
		factor := T(n.factor(b.squares(0)))
		for i := range b.Rows {
			if meter.Spent(b.Cols + 8) {
				break
			}
			x, out := b.Row(i)
			Affine(b.Stop, out, x, 0, factor, 0)
		}
	}
}

// factor returns the number that elements are multiplied by, for a sum of squares.
func (n L2Norm) factor(squares float64) float64 {
	if n.Max {
		return 1 / math.Sqrt(max(squares, n.Eps))
	}
	return 1 / math.Sqrt(squares+n.Eps)
}

// l2NormOfColumns computes a block with columns.
func l2NormOfColumns[T Float](n L2Norm, loops *Loops[T], b *Block[T]) {
	factor, square, meter := b.ScratchRow(0), b.ScratchRow(1), b.Stop.Meter()
	if !b.ReduceRows(reduction.SumSquares, factor) {
		clear(factor)
		for i := range b.Rows {
			if meter.Spent(b.Cols + 8) {
				break
			}
			x, _ := b.Row(i)
			loops.Multiply(square, x, x)
			loops.Add(factor, factor, square)
		}
	}
	for i, s := range factor {
		factor[i] = T(n.factor(float64(s)))
	}
	for i := range b.Rows {
		if meter.Spent(b.Cols + 8) {
			break
		}
		x, out := b.Row(i)
		loops.Multiply(out, x, factor)
	}
}
