package matmul

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/ops"
)

// vectorSteps multiplies rows by matrices. The threads share the elements of all rows of all
// batches.
func vectorSteps(q *problem, o *operands) []ops.Step {
	part := func(r *ops.Run, lo, hi int) error {
		a, b, c := cast.Slice[float32](o.a(r)), cast.Slice[float32](o.b(r)), o.c(r)
		first, last := lo, hi
		for lo < hi && !r.Stop.Requested() {
			batch, column := lo/q.n, lo%q.n
			count := min(q.n-column, hi-lo)
			atA, atB := q.offsets(batch)
			gemm.Row(r.Stop, c[batch*q.n:][:q.n], a[atA:][:q.depth], matrixB(q, b, atB), column, column+count)
			lo += count
		}
		if o.finish != nil {
			o.finish(r, c[first:last], first)
		}
		return nil
	}
	return []ops.Step{{N: q.batches * q.n, Grain: grainOf(q.depth), Part: part, Whole: true}}
}
