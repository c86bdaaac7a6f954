package groupedmatmul

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/plaingemm"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// plainKernel returns the kernel of f64 in plain loops. The threads share chunks of the columns of
// all groups. The scratch memory holds the first rows of the groups.
func plainKernel(k plan) *ops.Prepared {
	var s ops.Scratch
	starts := ops.AreaOf[int](&s, k.groups+1)
	k.chunk = min(chunkColumns, k.columns)
	k.chunks = (k.columns + k.chunk - 1) / k.chunk
	part := func(r *ops.Run, lo, hi int) error {
		rows := starts.In(r)
		a, b, c := ir.Data[float64](r.Inputs[0]), ir.Data[float64](r.Inputs[1]), ir.Data[float64](r.Outputs[0])
		for ; lo < hi && !r.Stop.Requested(); lo++ {
			group, first := lo/k.chunks, lo%k.chunks*k.chunk
			row, m := rows[group], rows[group+1]-rows[group]
			if m == 0 {
				continue
			}
			plaingemm.Multiply(r.Stop, c[row*k.columns+first:], k.columns,
				plaingemm.Matrix[float64]{Data: a[row*k.depth:], RowStride: k.depth, ColStride: 1},
				plaingemm.Matrix[float64]{Data: b[(group*k.columns+first)*k.depth:], RowStride: 1, ColStride: k.depth},
				m, min(k.chunk, k.columns-first), k.depth)
		}
		return nil
	}
	return &ops.Prepared{ScratchBytes: s.Bytes(), Kernel: func(r *ops.Run) error {
		rows := starts.In(r)
		if err := k.setRows(r, rows); err != nil {
			return err
		}
		parallel.Clear(r.Stop, ir.Data[float64](r.Outputs[0])[rows[k.groups]*k.columns:])
		return r.For(k.groups*k.chunks, 1, part)
	}}
}
