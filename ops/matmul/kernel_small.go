package matmul

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/ops"
)

const (
	// smallElements is the largest number of elements of b for which products are faster without
	// packing: b is then in the first-level cache.
	smallElements = 8192
	// smallRows is the largest number of rows of a, so that a product takes less than a
	// millisecond.
	smallRows = 4096
	// smallBatches is the smallest number of products that threads share as a whole. It does not
	// depend on the number of threads, so that the results do not either.
	smallBatches = 16
)

// isSmall reports whether there are many products of small matrices.
func isSmall(e *engine) bool {
	return e.packed == nil && e.batches >= smallBatches && e.m <= smallRows && e.depth*e.n <= smallElements &&
		gemm.IsSmall(&e.kernel.Tiling, matrixA[float32](e.problem, nil, 0), matrixB[float32](e.problem, nil, 0), e.m, e.n, e.depth)
}

// smallSteps returns one step, which multiplies the batches in place.
func smallSteps(e *engine) []ops.Step {
	return []ops.Step{{N: e.batches, Grain: grainOf(e.m * e.n * e.depth), Part: func(r *ops.Run, lo, hi int) error {
		for ; lo < hi && !r.Stop.Requested(); lo++ {
			a, b, c, at := e.batch(r, lo)
			gemm.MultiplySmall(c, floatsOf(a), floatsOf(b), e.m, e.n, e.depth, e.steps)
			if e.finish != nil {
				e.finish(r, c, at)
			}
		}
		return nil
	}}}
}

// floatsOf returns m, whose lanes hold float32.
func floatsOf(m gemm.Matrix[gemm.Lane]) gemm.Matrix[float32] {
	return gemm.Matrix[float32]{Data: cast.Slice[float32](m.Data), RowStride: m.RowStride, ColStride: m.ColStride}
}
