package convolution

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/conv/implicit"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// quantizedAttributes are those of QuantizedConvolution.
type quantizedAttributes struct {
	*window.Attributes
	grouped bool
	outside []uint8
}

func parseQuantized(a *ir.Attributes) (any, error) {
	w, err := parse(a)
	if err != nil {
		return nil, err
	}
	at := &quantizedAttributes{Attributes: w.(*window.Attributes)}
	at.outside, at.grouped = window.ParseQuantized(a)
	return at, a.Err()
}

// inferQuantized is infer or inferGroups with the types of QuantizedConvolution.
func inferQuantized(in *ops.Inference) error {
	at := in.Attributes.(*quantizedAttributes)
	same, err := window.FloatInputs(in, at.Attributes)
	if err != nil {
		return err
	}
	if at.grouped {
		return inferGroups(same)
	}
	return infer(same)
}

// prepareQuantized returns the kernel of QuantizedConvolution.
func prepareQuantized(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(*quantizedAttributes)
	data := p.InputShape(0)
	output, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	t, err := window.QuantizedFilters(p)
	if err != nil {
		return nil, err
	}
	g, err := newGeometry(at.Attributes, data, t.Shape(), output)
	if err != nil {
		return nil, err
	}
	if output.Elements() == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }, Released: []int{1}}, nil
	}
	if n := g.inChannels * g.taps(); n == 0 || n > gemm.MaxBytesDepth {
		return nil, faults.Errorf("input 1 is %v: a filter has %d elements, expected 1 to %d", t.Shape(), n, gemm.MaxBytesDepth)
	}
	q := &quantized{geometry: g, outside: at.outside}
	if q.Quantized, err = window.NewQuantized(p, window.Outputs{Channels: g.groups * g.outChannels, Plane: g.axes.Output(), Levels: true}); err != nil {
		return nil, err
	}
	if g.inChannels == 1 && g.groups > 1 {
		if prepared, err := q.depthwise(p, t); prepared != nil || err != nil {
			return prepared, err
		}
	}
	if prepared, err := q.pointwise(p, t); prepared != nil || err != nil {
		return prepared, err
	}
	return q.product(p, t)
}

// quantized is a QuantizedConvolution.
type quantized struct {
	*geometry
	*window.Quantized
	outside []uint8
}

// product returns the kernel that multiplies quads.
func (q *quantized) product(p *ops.Preparation, filters *ir.Tensor) (*ops.Prepared, error) {
	quads := gemm.QuadsOf(q.inChannels)
	c := &implicit.Geometry{Batch: q.batch, Groups: q.groups, In: quads, Channels: q.inChannels, Out: q.outChannels, Axes: q.axes.Axes(), Quads: true, Stored: q.Stored}
	if err := p.Reserve(c.TableBytes()); err != nil {
		return nil, err
	}
	plan := implicit.New(p.Stop, c, p.Threads, true)
	if plan == nil {
		return nil, faults.Errorf("input 1 is %v: such windows need too much memory", filters.Shape())
	}
	outside, err := window.Outside(q.outside)
	if err != nil {
		return nil, err
	}
	call := implicit.Quads{Outside: plan.Outside(outside)}
	if zero := implicit.QuadsZero(call.Outside); zero > 0 {
		once, err := p.Once(filters, fmt.Sprint("starts ", zero), memory.Size[int32](q.groups, q.outChannels), func() (any, error) {
			return implicit.FilterStarts(ir.Data[int8](filters), q.inChannels*q.taps(), zero), nil
		})
		if err != nil {
			return nil, err
		}
		call.Start = once.([]int32)
	}
	prepared, err := q.Product(p, plan, window.Quads{Groups: q.batch * q.groups, In: q.inChannels, Plane: q.axes.Input(), Taps: q.taps()}, call)
	if err != nil {
		return nil, err
	}
	prepared.Flops = 2 * float64(q.planes()) * float64(q.axes.Output()) * float64(q.inChannels) * float64(q.taps())
	return prepared, nil
}
