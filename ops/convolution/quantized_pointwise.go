package convolution

import (
	"github.com/vinoir/vinoir/internal/conv/pointwise"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// quantizedPointwise is a QuantizedConvolution with windows of one element and few channels.
type quantizedPointwise struct {
	*quantized
	plan    *pointwise.Bytes
	filters []float32
	areas   ops.Area[float32] // of each worker
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
	cost := float64(d.plan.ItemFlops()) * ops.MultiplyCost
	step := ops.Step{N: d.plan.Items(), Grain: ops.Grain(cost), WorkerPart: d.part, Workers: p.Workers(d.plan.Items(), cost)}
	var scratch ops.Scratch
	d.areas = ops.AreasOf[float32](&scratch, step.Workers, d.plan.Scratch())
	return &ops.Prepared{
		Kernel:       window.Kernel(d.Epilogue, step),
		ScratchBytes: scratch.Bytes(),
		Released:     []int{1},
		Algorithm:    "pointwise of bytes",
		Precision:    ir.I8,
		Flops:        2 * float64(q.planes()) * float64(q.axes.Output()) * float64(q.inChannels),
	}, nil
}

// part runs items lo to hi-1 of the plan.
func (d *quantizedPointwise) part(r *ops.Run, worker, lo, hi int) error {
	c := pointwise.BytesCall{
		In: ir.Data[uint8](r.Inputs[0]), Filters: d.filters, Scale: d.Scale, Epilogue: d.Epilogue(r),
		Scratch: d.areas.Of(r, worker),
	}
	switch {
	case d.Bytes:
		c.Bytes = ir.Data[uint8](r.Outputs[0])
	case !d.Stored:
		c.Out = ir.Data[float32](r.Outputs[0])
	}
	d.plan.Run(r.Stop, &c, lo, hi)
	return nil
}
