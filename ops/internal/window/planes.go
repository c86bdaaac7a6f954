package window

import (
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Planes returns the kernel of a convolution of data, input 0, with filters, input 1, that d
// computes by the given algorithm.
func Planes(p *ops.Preparation, d conv.Planes, algorithm string, epilogue func(*ops.Run) *conv.Epilogue) *ops.Prepared {
	// An operation takes longer than in a product, whose operands stay in registers.
	cost := float64(d.ItemFlops()) * ops.MultiplyCost
	workers := p.Workers(d.Items(), cost)
	var s ops.Scratch
	areas := ops.AreasOf[float32](&s, workers, d.Scratch())
	part := func(r *ops.Run, worker, lo, hi int) error {
		d.Run(r.Stop, ir.Data[float32](r.Outputs[0]), ir.Data[float32](r.Inputs[0]), ir.Data[float32](r.Inputs[1]), epilogue(r), areas.Of(r, worker), lo, hi)
		return nil
	}
	step := ops.Step{N: d.Items(), Grain: ops.Grain(cost), WorkerPart: part, Workers: workers}
	return &ops.Prepared{Algorithm: algorithm, ScratchBytes: s.Bytes(), Kernel: Kernel(epilogue, step)}
}
