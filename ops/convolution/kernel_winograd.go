package convolution

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/conv/winograd"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// winograd32 returns the kernel for windows of 3 by 3, or of planes of 3 by 3, that uses Winograd's
// minimal filtering; nil if another kernel is faster, if the filters are not constant or do not
// suit the transforms, or if p asks for accuracy.
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
	// Scratch memory holds two counters, then the area that all items share, then an area for each
	// item.
	sharedSize, ownSize := memory.Padded[float32](w.SharedScratch()), memory.Padded[float32](w.Scratch())
	countersAt := conv.CounterBytes(threads)
	sharedAt := 2 * countersAt
	ownAt := sharedAt + 4*sharedSize
	items := max(conv.Items(w.TransformItems(), threads), conv.Items(w.Items(), threads))
	areas := func(r *ops.Run, item int) (shared, own []float32) {
		return cast.Bytes[float32](r.Scratch[sharedAt:])[:w.SharedScratch()], cast.Bytes[float32](r.Scratch[ownAt+4*item*ownSize:])[:w.Scratch()]
	}
	transform := func(r *ops.Run, lo, hi int) error {
		shared, own := areas(r, lo)
		for range conv.Most(w.TransformItems(), threads, lo, hi) {
			i := conv.Next(r.Scratch, w.TransformItems(), threads, lo)
			if i >= w.TransformItems() || r.Stop.Requested() {
				break
			}
			w.Transform(r.Stop, ir.Data[float32](r.Inputs[0]), shared, own, i, i+1)
		}
		return nil
	}
	run := func(r *ops.Run, lo, hi int) error {
		shared, own := areas(r, lo)
		e := epilogue(r)
		f := winograd.Filters{Packed: packed.Packed, Direct: direct, Largest: packed.Largest}
		for range conv.Most(w.Items(), threads, lo, hi) {
			i := conv.Next(r.Scratch[countersAt:], w.Items(), threads, lo)
			if i >= w.Items() || r.Stop.Requested() {
				break
			}
			w.Run(r.Stop, ir.Data[float32](r.Outputs[0]), ir.Data[float32](r.Inputs[0]), f, e, shared, own, i, i+1)
		}
		return nil
	}
	kernel := func(r *ops.Run) error {
		epilogue(r)
		parallel.Clear(r.Stop, r.Scratch[:sharedAt])
		if n := w.TransformItems(); n > 0 {
			if err := r.For(conv.Items(n, threads), 1, transform); err != nil {
				return err
			}
		}
		return r.For(conv.Items(w.Items(), threads), 1, run)
	}
	return &ops.Prepared{
		Kernel:       kernel,
		ScratchBytes: ownAt + 4*items*ownSize,
		Released:     []int{1},
		Algorithm:    "Winograd",
	}, nil
}
