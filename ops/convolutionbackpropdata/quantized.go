package convolutionbackpropdata

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

// quantizedAttributes are those of QuantizedConvolutionBackpropData.
type quantizedAttributes struct {
	*attributes
	grouped bool
	outside []uint8
}

func parseQuantized(a *ir.Attributes) (any, error) {
	w, err := parse(a)
	if err != nil {
		return nil, err
	}
	at := &quantizedAttributes{attributes: w.(*attributes)}
	at.outside, at.grouped = window.ParseQuantized(a)
	return at, a.Err()
}

// inferQuantized is infer or inferGroups with the types of QuantizedConvolutionBackpropData.
func inferQuantized(in *ops.Inference) error {
	at := in.Attributes.(*quantizedAttributes)
	same, err := window.FloatInputs(in, at.attributes)
	if err != nil {
		return err
	}
	if at.grouped {
		return inferGroups(same)
	}
	return infer(same)
}

// prepareQuantized returns the kernel of QuantizedConvolutionBackpropData, which multiplies quads.
func prepareQuantized(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(*quantizedAttributes)
	data := p.InputShape(0)
	output, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	filters, err := window.QuantizedFilters(p)
	if err != nil {
		return nil, err
	}
	g, err := newGeometry(at.attributes, data, filters.Shape(), output, len(p.Inputs) > 4)
	if err != nil {
		return nil, err
	}
	if output.Elements() == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }, Released: []int{1}}, nil
	}
	n := filters.Len() / (g.groups * g.outChannels)
	if n == 0 || n > gemm.MaxBytesDepth {
		return nil, faults.Errorf("input 1 is %v: an output channel has %d elements, expected 1 to %d", filters.Shape(), n, gemm.MaxBytesDepth)
	}
	taps := n / g.inChannels
	q, err := window.NewQuantized(p, window.Outputs{Channels: g.groups * g.outChannels, Plane: g.axes.Input()})
	if err != nil {
		return nil, err
	}
	quads := gemm.QuadsOf(g.inChannels)
	c := &implicit.Geometry{Batch: g.batch, Groups: g.groups, In: quads, Out: g.outChannels, Axes: g.axes.Axes(), Quads: true, Stored: q.Stored}
	if err := p.Reserve(c.TransposedTableBytes()); err != nil {
		return nil, err
	}
	plan := implicit.NewTransposed(p.Stop, c, p.Threads, true)
	if plan == nil {
		return nil, faults.Errorf("input 1 is %v: such windows need too much memory", filters.Shape())
	}
	sums, err := p.Once(filters, fmt.Sprint("sums ", plan.Key()), memory.Size[int32](plan.SumsLen()), func() (any, error) {
		return plan.PhaseSums(ir.Data[int8](filters), g.inChannels), nil
	})
	if err != nil {
		return nil, err
	}
	outside, err := window.Outside(at.outside)
	if err != nil {
		return nil, err
	}
	call := implicit.Quads{Outside: plan.Outside(outside), Zero: outside, Sums: sums.([]int32)}
	shape := window.Quads{Groups: g.batch * g.groups, In: g.inChannels, Plane: g.axes.Output(), Taps: g.outChannels * taps}
	prepared, err := q.Product(p, plan, shape, call)
	if err != nil {
		return nil, err
	}
	prepared.Flops = 2 * float64(g.planes()) * float64(g.axes.Output()) * float64(g.inChannels) * float64(taps)
	return prepared, nil
}
