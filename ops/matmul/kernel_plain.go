package matmul

import (
	"github.com/vinoir/vinoir/internal/plaingemm"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// plainRows and plainColumns are the size of the parts of the output that the threads of a plain
// product share.
const plainRows, plainColumns = 2, 64

// plainKernel returns the kernel of f64, i32, i64 and the unsigned types of their sizes, without
// packing. Parts check Run.Stop themselves: a row can be long.
func plainKernel[T plaingemm.Number](p *ops.Preparation, q *problem) *ops.Prepared {
	a, b := 0, 1
	if q.transposed {
		a, b = 1, 0
	}
	rows, columns := (q.m+plainRows-1)/plainRows, (q.n+plainColumns-1)/plainColumns
	part := func(r *ops.Run, lo, hi int) error {
		for item := lo; item < hi && !r.Stop.Requested(); item++ {
			batch := item / (rows * columns)
			i, j := item/columns%rows*plainRows, item%columns*plainColumns
			atA, atB := q.offsets(batch)
			left, right := plaingemm.Matrix[T]{RowStride: q.aRow, ColStride: q.aCol}, plaingemm.Matrix[T]{RowStride: q.bRow, ColStride: q.bCol}
			if q.depth > 0 { // otherwise there are no elements to start from
				left.Data, right.Data = ir.Data[T](r.Inputs[a])[atA+i*q.aRow:], ir.Data[T](r.Inputs[b])[atB+j*q.bCol:]
			}
			plaingemm.Multiply(r.Stop, ir.Data[T](r.Outputs[0])[(batch*q.m+i)*q.n+j:], q.n, left, right,
				min(plainRows, q.m-i), min(plainColumns, q.n-j), q.depth)
		}
		return nil
	}
	return &ops.Prepared{
		Kernel:    ops.Steps([]ops.Step{{N: q.batches * rows * columns, Grain: grainOf(plainRows * plainColumns * q.depth), Part: part, Whole: true}}),
		Algorithm: "plain loops",
		Flops:     q.flops(),
	}
}
