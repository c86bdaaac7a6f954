package mvn

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/reduction"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/normalize"
)

// prepare returns the kernel that computes the mean, then the variance, then the output. Three
// passes are numerically the best way, and after the first one the elements are in the cache.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(attributes)
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	axes := at.axes
	switch {
	case len(p.Inputs) > 1:
		known := false
		if axes, known = p.Inputs[1].Ints(); !known {
			return nil, faults.Errorf("the axes are not known")
		}
	case len(axes) == 0:
		first := 2
		if at.acrossChannels {
			first = 1
		}
		for axis := first; axis < len(shape); axis++ {
			axes = append(axes, int64(axis))
		}
	}
	set, ok := normalize.AxisMask(axes, len(shape))
	if !ok {
		return nil, faults.Errorf("the axes are %v, some of which are outside data of shape %v", axes, shape)
	}
	l := normalize.NewLayout(shape, set, p.Threads)
	c := normalize.Computation{F32: compute[float32](at, &l), F64: compute[float64](at, &l)}
	if l.PerColumn {
		c.ScratchRows = 3
	}
	if at.normalizeVariance && reduction.CanNormalize(l.RowLength) {
		inside, outside := float32(at.eps), float32(0)
		if at.outside {
			inside, outside = outside, inside
		}
		c.Segments32 = func(out, x []float32, n int) { reduction.Normalize(out, x, n, inside, outside) }
	}
	return normalize.Kernel(p, 0, l, c)
}

// compute returns the code for the blocks of a layout.
func compute[T normalize.Float](at attributes, l *normalize.Layout) func(*ops.Run, normalize.Block[T]) {
	if l.PerColumn {
		loops := normalize.LoopsOf[T]()
		return func(_ *ops.Run, b normalize.Block[T]) { columns(&at, loops, &b) }
	}
	return func(_ *ops.Run, b normalize.Block[T]) { elements(&at, &b) }
}

// factor returns the factor for the differences from the mean.
func (at *attributes) factor(variance float64) float64 {
	if at.outside {
		return 1 / (math.Sqrt(variance) + at.eps)
	}
	return 1 / math.Sqrt(variance+at.eps)
}

// elements normalises all elements of a block.
func elements[T normalize.Float](at *attributes, b *normalize.Block[T]) {
	mean, factor, meter := b.Mean(), 1.0, b.Stop.Meter()
	if at.normalizeVariance {
		factor = at.factor(b.Variance(mean))
	}
	for i := range b.Rows {
		if meter.Spent(2*b.Cols + 8) {
			break
		}
		x, out := b.Row(i)
		normalize.Affine(b.Stop, out, x, mean, T(factor), 0)
	}
}

// columns normalises each column of a block.
func columns[T normalize.Float](at *attributes, loops *normalize.Loops[T], b *normalize.Block[T]) {
	mean, factor, square := b.ScratchRow(0), b.ScratchRow(1), b.ScratchRow(2)
	meter := b.Stop.Meter()
	if !b.ReduceRows(reduction.Sum, mean) {
		clear(mean)
		for i := range b.Rows {
			if meter.Spent(2*b.Cols + 8) {
				break
			}
			x, _ := b.Row(i)
			loops.Add(mean, mean, x)
		}
	}
	for i := range mean {
		mean[i] /= T(b.Rows)
	}
	if at.normalizeVariance {
		clear(factor)
		for i := range b.Rows {
			if meter.Spent(2*b.Cols + 8) {
				break
			}
			x, _ := b.Row(i)
			loops.SquaredDifference(square, x, mean)
			loops.Add(factor, factor, square)
		}
		for i, v := range factor {
			factor[i] = T(at.factor(float64(v) / float64(b.Rows)))
		}
	}
	for i := range b.Rows {
		if meter.Spent(2*b.Cols + 8) {
			break
		}
		x, out := b.Row(i)
		loops.Subtract(out, x, mean)
		if at.normalizeVariance {
			loops.Multiply(out, out, factor)
		}
	}
}
