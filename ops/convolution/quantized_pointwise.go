package convolution

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/conv/pointwise"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// quantizedPointwise is a QuantizedConvolution with windows of one element and few channels.
type quantizedPointwise struct {
	*quantized
	plan    *pointwise.Bytes
	filters []float32
	workers int
	size    int // elements of the scratch memory of a worker
	// parts is the method part, which would be allocated in each run.
	parts ops.Part
}

// pointwise returns the kernel for windows of one element and few channels; nil if a product is
// faster.
func (q *quantized) pointwise(p *ops.Preparation, filters *ir.Tensor) (*ops.Prepared, error) {
	s, ok := q.geometry.pointwise()
	if !ok {
		return nil, nil
	}
	d := &quantizedPointwise{quantized: q, plan: pointwise.NewBytes(s, p.Threads)}
	if d.plan == nil {
		return nil, nil
	}
	once, err := p.Once(filters, "pointwise", memory.Size[float32](s.In, s.Out), func() (any, error) {
		return pointwise.Filters(ir.Data[int8](filters)), nil
	})
	if err != nil {
		return nil, err
	}
	d.filters = once.([]float32)
	// The items that For splits are workers, since each needs its own scratch memory.
	d.workers = min(max(p.Threads, 1)*4, d.plan.Items())
	d.size = memory.Padded[float32](d.plan.Scratch())
	d.parts = d.part
	return &ops.Prepared{
		Kernel:       d.kernel,
		ScratchBytes: 4 * d.workers * d.size,
		Released:     []int{1},
		Algorithm:    "pointwise of bytes",
		Precision:    ir.I8,
		Flops:        2 * float64(q.planes()) * float64(q.axes.Output()) * float64(q.inChannels),
	}, nil
}

func (d *quantizedPointwise) kernel(r *ops.Run) error {
	d.Epilogue(r)
	return r.For(d.workers, max(1<<16/max(d.plan.ItemFlops(), 1)*d.workers/d.plan.Items(), 1), d.parts)
}

// part runs workers lo to hi-1.
func (d *quantizedPointwise) part(r *ops.Run, lo, hi int) error {
	c := pointwise.BytesCall{
		In: ir.Data[uint8](r.Inputs[0]), Filters: d.filters, Scale: d.Scale, Epilogue: d.Epilogue(r),
		Scratch: cast.Bytes[float32](r.Scratch)[lo*d.size:][:d.plan.Scratch()],
	}
	switch {
	case d.Bytes:
		c.Bytes = ir.Data[uint8](r.Outputs[0])
	case !d.Stored:
		c.Out = ir.Data[float32](r.Outputs[0])
	}
	d.plan.Run(r.Stop, &c, parallel.Share(d.plan.Items(), d.workers, lo), parallel.Share(d.plan.Items(), d.workers, hi))
	return nil
}
