package convolution

import (
	"github.com/vinoir/vinoir/internal/conv/depthwise"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// quantizedDepthwise is a QuantizedConvolution of groups with one channel.
type quantizedDepthwise struct {
	*quantized
	plan    *depthwise.Bytes
	filters []uint32
	outputs ops.Area[float32] // of each worker, if the levels are stored after the stages
	sums    ops.Area[float32] // of each worker, for plan
}

// depthwise returns the kernel for groups with one channel; nil if package conv does not support
// the windows.
func (q *quantized) depthwise(p *ops.Preparation, filters *ir.Tensor) (*ops.Prepared, error) {
	shape := &depthwise.Shape{Batch: q.batch, Channels: q.groups, Multiplier: q.outChannels, Axes: q.axes.Axes()}
	if err := p.Reserve(shape.BytesTableBytes()); err != nil {
		return nil, err
	}
	d := &quantizedDepthwise{quantized: q, plan: depthwise.NewBytes(shape)}
	if d.plan == nil {
		return nil, nil
	}
	once, err := p.Once(filters, d.plan.Key(), memory.Size[uint32](q.groups*q.outChannels, d.plan.FilterLen()), func() (any, error) {
		return d.plan.PackFilters(ir.Data[int8](filters)), nil
	})
	if err != nil {
		return nil, err
	}
	if n := len(q.outside); n > 1 && n != q.groups {
		return nil, faults.Errorf("attribute outside has %d levels, expected 1 or %d", n, q.groups)
	}
	d.filters = once.([]uint32)
	cost := float64(q.axes.Output()) * float64(q.taps()) / 16 // of a plane
	step := ops.Step{N: d.plan.Planes(), Grain: ops.Grain(cost), WorkerPart: d.part, Workers: p.Workers(d.plan.Planes(), cost)}
	var s ops.Scratch
	if q.Stored && !q.Bytes {
		d.outputs = ops.AreasOf[float32](&s, step.Workers, d.plan.PlaneLen())
	}
	d.sums = ops.AreasOf[float32](&s, step.Workers, d.plan.Scratch())
	return &ops.Prepared{
		Kernel:       window.Kernel(d.Epilogue, step),
		ScratchBytes: s.Bytes(),
		Released:     []int{1},
		Algorithm:    "depthwise of bytes",
		Precision:    ir.I8,
		Flops:        2 * float64(q.planes()) * float64(q.axes.Output()) * float64(q.taps()),
	}, nil
}

// part computes planes lo to hi-1.
func (d *quantizedDepthwise) part(r *ops.Run, worker, lo, hi int) error {
	c := depthwise.BytesCall{
		In: ir.Data[uint8](r.Inputs[0]), Filters: d.filters, Outside: d.outside, Scale: d.Scale, Epilogue: d.Epilogue(r),
		Plane: d.outputs.Of(r, worker), Scratch: d.sums.Of(r, worker),
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
