package convolution

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/conv/winograd"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// winograd32 is the plan for windows of 3 by 3, or of planes of 3 by 3, by Winograd's minimal
// filtering. It suits constant filters that can be transformed, unless p asks for accuracy.
func winograd32(p *ops.Preparation, g *geometry, epilogue func(*ops.Run) *conv.Epilogue) (*ops.Prepared, error) {
	filters := p.Inputs[1].Tensor
	if p.Accurate || filters == nil || g.groups > 1 {
		return nil, nil
	}
	axes := g.axes.Axes()
	shape := winograd.Shape{Batch: g.batch, In: g.inChannels, Out: g.outChannels, Z: axes[0], Y: axes[1], X: axes[2]}
	// Winograd's filtering saves three quarters of the products at most, AMX multiplies eight times
	// as many of bf16 or f16.
	if !winograd.Pays(shape) || p.Rounded != ir.Dynamic && gemm.HasAMX() {
		return nil, nil
	}
	threads := max(p.Threads, 1)
	w := winograd.New(shape, threads)
	once, err := p.Once(filters, fmt.Sprint("winograd ", w.PackedSize(), axes[0].Kernel), 4*int64(w.PackedSize()), func() (any, error) {
		f := &winograd.Filters{Largest: w.LargestInput(p.Stop, ir.Data[float32](filters))}
		if f.Largest > 0 {
			f.Packed = memory.Of[float32](w.PackedSize())
			for i := 0; i < w.PackItems() && !p.Stop.Requested(); i++ {
				w.Pack(f.Packed, ir.Data[float32](filters), i, i+1)
			}
		}
		return f, nil
	})
	if err != nil {
		return nil, err
	}
	packed := once.(*winograd.Filters)
	if packed.Largest == 0 {
		return nil, nil
	}
	// loads them again if they were released
	direct := func() []float32 { return ir.Data[float32](filters) }
	var s ops.Scratch
	workers := min(threads, max(w.TransformItems(), w.Items(), 1))
	shared, own := ops.AreaOf[float32](&s, w.SharedScratch()), ops.AreasOf[float32](&s, workers, w.Scratch())
	transform := func(r *ops.Run, worker, lo, hi int) error {
		w.Transform(r.Stop, ir.Data[float32](r.Inputs[0]), shared.In(r), own.Of(r, worker), lo, hi)
		return nil
	}
	run := func(r *ops.Run, worker, lo, hi int) error {
		f := winograd.Filters{Packed: packed.Packed, Direct: direct, Largest: packed.Largest}
		w.Run(r.Stop, ir.Data[float32](r.Outputs[0]), ir.Data[float32](r.Inputs[0]), f, epilogue(r), shared.In(r), own.Of(r, worker), lo, hi)
		return nil
	}
	kernel := window.Kernel(epilogue, ops.Step{N: w.TransformItems(), Grain: 1, WorkerPart: transform, Workers: workers},
		ops.Step{N: w.Items(), Grain: 1, WorkerPart: run, Workers: workers})
	return &ops.Prepared{
		Kernel:       kernel,
		ScratchBytes: s.Bytes(),
		Released:     []int{1},
		Algorithm:    "Winograd",
	}, nil
}
