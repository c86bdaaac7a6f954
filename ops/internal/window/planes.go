package window

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Planes returns the kernel of a convolution of data, input 0, with filters, input 1, that d
// computes by the given algorithm.
func Planes(p *ops.Preparation, d conv.Planes, algorithm string, epilogue func(*ops.Run) *conv.Epilogue) *ops.Prepared {
	workers := min(max(p.Threads, 1)*4, d.Items())
	size := memory.Padded[float32](d.Scratch())
	part := func(r *ops.Run, lo, hi int) error {
		scratch := cast.Bytes[float32](r.Scratch)[lo*size:][:size]
		d.Run(r.Stop, ir.Data[float32](r.Outputs[0]), ir.Data[float32](r.Inputs[0]), ir.Data[float32](r.Inputs[1]), epilogue(r), scratch,
			parallel.Share(d.Items(), workers, lo), parallel.Share(d.Items(), workers, hi))
		return nil
	}
	grain := max(1<<16/max(d.ItemFlops(), 1)*workers/d.Items(), 1)
	return &ops.Prepared{Algorithm: algorithm, ScratchBytes: 4 * workers * size, Kernel: func(r *ops.Run) error {
		epilogue(r)
		return r.For(workers, grain, part)
	}}
}
